//! Any request of the protocol, for what no other function says.

use crate::{
    connection::{ClientHandle, Connected},
    failure::{HD_OK, Misuse, check_output},
    handle::Handle,
    memory,
    types::{hd_answer, hd_error, hd_request},
};
use hapticd_client::RequestError;
use hapticd_protocol::{
    frame::{HEADER_BYTES, MAX_MESSAGE, Message},
    reply::Reply,
    request::Request,
};
use hapticd_sys::sealed_file;
use std::os::fd::AsFd;

/// Longest body of a message, bytes.
const MAX_BODY: usize = MAX_MESSAGE - HEADER_BYTES;

/// Reads a caller's request. What the protocol does not have is not sent.
unsafe fn request_of(theirs: &hd_request) -> Result<Request, Misuse> {
    let invalid = |what| Misuse {
        what,
        number: theirs.kind.into(),
        limit: 0,
    };
    if theirs.body_length > MAX_BODY {
        return Err(Misuse {
            what: "a body is too long",
            number: theirs.body_length as u64,
            limit: MAX_BODY as u64,
        });
    }
    // SAFETY: the rule of `memory`.
    let body = unsafe { memory::copy(theirs.body, theirs.body_length) }?;
    let kind = u16::try_from(theirs.kind).map_err(|_| invalid("no request has such a kind"))?;
    let request = Request::take_body(kind, &body)
        .map_err(|_| invalid("kind and body are no request of the protocol"))?;
    match request {
        Request::Goodbye(_) => Err(invalid("hd_client_free says goodbye")),
        request => Ok(request),
    }
}

fn answer_of(reply: &Reply, descriptors: usize) -> hd_answer {
    let mut bytes = Vec::new();
    reply.put_body(&mut bytes);
    let mut body = [0; MAX_BODY];
    body[..bytes.len()].copy_from_slice(&bytes);
    hd_answer {
        struct_size: 0,
        kind: reply.kind().into(),
        descriptors: descriptors as u32,
        body_length: bytes.len() as u32,
        body,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_exchange(
    client: *mut ClientHandle,
    request: *const hd_request,
    answer: *mut hd_answer,
    error: *mut hd_error,
) -> i32 {
    let exchange = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        let theirs = unsafe { memory::read(request) }?;
        // SAFETY: the rule of `memory`.
        unsafe { check_output(answer) }?;
        // SAFETY: the rule of `memory`.
        let request = unsafe { request_of(&theirs) }?;
        let takes_file = request.descriptors() > 0;
        if !takes_file && theirs.file_length > 0 {
            return Err(Misuse::of("this request has no file").into());
        }
        // SAFETY: the rule of `memory`.
        let content = unsafe { memory::copy(theirs.file, theirs.file_length) }?;
        let file = takes_file
            .then(|| sealed_file::create_sealed("hapticd-mesh", &content))
            .transpose();
        let file = file.map_err(|problem| RequestError::Invalid {
            field: "file",
            problem: problem.to_string(),
        })?;
        let files: Vec<_> = file.iter().map(AsFd::as_fd).collect();
        let (reply, descriptors) = connected.client.exchange(&request, &files)?;
        if let Reply::Error(refused) = reply {
            return Err(RequestError::Refused(Box::new(refused)).into());
        }
        // SAFETY: the rule of `memory`.
        unsafe { memory::write(answer, &answer_of(&reply, descriptors.len())) }?;
        Ok(HD_OK)
    };
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, error, exchange) }
}
