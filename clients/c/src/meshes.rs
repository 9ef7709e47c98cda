//! Shapes, surfaces and skins: meshes into the caller's arrays.

use crate::{
    connection::{ClientHandle, Connected},
    failure::{HD_OK, Misuse, check_output, read_status, skin_status},
    handle::{Handle, discard},
    memory,
    types::{hd_counts, hd_error, hd_skin_buffers, hd_skin_frame, hd_surface_frame},
};
use hapticd_client::{Client, RequestError, Skin, SkinFrame, Surface};
use std::ptr;

/// The mesh of an `hd_shape`.
pub(crate) struct Shape {
    points: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

/// What is behind an `hd_surface`.
pub(crate) struct OpenSurface {
    surface: Surface,
    /// The newest points, before they are copied to the caller, which may have aligned its array
    /// in any way.
    points: Vec<[f32; 3]>,
}

/// What is behind an `hd_skin`.
pub(crate) struct OpenSkin {
    skin: Skin,
    frame: SkinFrame,
}

/// Opens something with `open`, and writes its handle, or NULL, to `to`.
unsafe fn give<T>(
    client: *mut ClientHandle,
    to: *mut *mut Handle<T>,
    error: *mut hd_error,
    open: impl FnOnce(&mut Client) -> Result<T, RequestError>,
) -> i32 {
    let made = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(to, ptr::null_mut()) }?;
        let handle = Handle::give(open(&mut connected.client)?);
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(to, handle) }?;
        Ok(HD_OK)
    };
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, error, made) }
}

/// Calls `f` with what was opened.
unsafe fn call<T>(handle: *const Handle<T>, f: impl FnOnce(&mut T) -> Result<(), Misuse>) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { read_mesh(handle, |it| f(it).map(|()| HD_OK)) }
}

/// Loads a version; 0 where the handle takes no calls.
unsafe fn version<T>(handle: *const Handle<T>, load: impl FnOnce(&mut T) -> u64) -> u64 {
    // SAFETY: the rule of `memory`.
    unsafe { Handle::with(handle, load) }.unwrap_or_else(|(_, payload)| {
        if let Some(payload) = payload {
            discard(payload);
        }
        0
    })
}

/// A count of a mesh, which never has more than 2^32 - 1 of anything.
fn counts(points: usize, triangles: usize) -> hd_counts {
    let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
    hd_counts {
        points: count(points),
        triangles: count(triangles),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_open_shape(
    client: *mut ClientHandle,
    body: u32,
    shape: *mut *mut Handle<Shape>,
    error: *mut hd_error,
) -> i32 {
    let open = |client: &mut Client| {
        let mesh = client.shape(body)?;
        Ok(Shape {
            points: mesh
                .positions
                .iter()
                .map(|point| point.map(|part| part as f32))
                .collect(),
            triangles: mesh.triangles,
        })
    };
    // SAFETY: the rule of `memory`.
    unsafe { give(client, shape, error, open) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_shape_counts(shape: *const Handle<Shape>, to: *mut hd_counts) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe {
        call(shape, |it| {
            memory::put(to, counts(it.points.len(), it.triangles.len()))
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_shape_points(
    shape: *const Handle<Shape>,
    xyz: *mut f32,
    capacity: usize,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { call(shape, |it| memory::fill(xyz.cast(), capacity, &it.points)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_shape_triangles(
    shape: *const Handle<Shape>,
    indices: *mut u32,
    capacity: usize,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe {
        call(shape, |it| {
            memory::fill(indices.cast(), capacity, &it.triangles)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_shape_free(shape: *mut Handle<Shape>) {
    // SAFETY: the rule of `memory`.
    unsafe { Handle::free(shape, drop) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_open_surface(
    client: *mut ClientHandle,
    body: u32,
    surface: *mut *mut Handle<OpenSurface>,
    error: *mut hd_error,
) -> i32 {
    let open = |client: &mut Client| {
        let surface = client.surface(body)?;
        // So that reading does not allocate.
        let points = Vec::with_capacity(surface.points());
        Ok(OpenSurface { surface, points })
    };
    // SAFETY: the rule of `memory`.
    unsafe { give(client, surface, error, open) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_surface_counts(
    surface: *const Handle<OpenSurface>,
    to: *mut hd_counts,
) -> i32 {
    let count = |it: &mut OpenSurface| {
        // SAFETY: the rule of `memory`.
        unsafe {
            memory::put(
                to,
                counts(it.surface.points(), it.surface.triangles().len()),
            )
        }
    };
    // SAFETY: the rule of `memory`.
    unsafe { call(surface, count) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_surface_triangles(
    surface: *const Handle<OpenSurface>,
    indices: *mut u32,
    capacity: usize,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe {
        call(surface, |it| {
            memory::fill(indices.cast(), capacity, it.surface.triangles())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_surface_version(surface: *const Handle<OpenSurface>) -> u64 {
    // SAFETY: the rule of `memory`.
    unsafe { version(surface, |it| it.surface.version()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_surface_read(
    surface: *mut Handle<OpenSurface>,
    xyz: *mut f32,
    capacity: usize,
    frame: *mut hd_surface_frame,
) -> i32 {
    let read = |it: &mut OpenSurface| -> Result<i32, Misuse> {
        if !frame.is_null() {
            // SAFETY: the rule of `memory`.
            unsafe { check_output(frame) }?;
        }
        if capacity < it.surface.points() {
            return Err(Misuse::capacity(it.surface.points(), capacity));
        }
        let header = match it.surface.read(&mut it.points) {
            Ok(header) => header,
            Err(error) => return Ok(read_status(error)),
        };
        // SAFETY: the rule of `memory`.
        unsafe {
            memory::fill(xyz.cast(), capacity, &it.points)?;
            if !frame.is_null() {
                memory::write(frame, &hd_surface_frame::from(&header))?;
            }
        }
        Ok(HD_OK)
    };
    // SAFETY: the rule of `memory`.
    unsafe { read_mesh(surface, read) }
}

/// Calls `read` and returns its status.
unsafe fn read_mesh<T>(
    handle: *const Handle<T>,
    read: impl FnOnce(&mut T) -> Result<i32, Misuse>,
) -> i32 {
    let read = |it: &mut T| read(it).unwrap_or_else(|misuse| misuse.status());
    // SAFETY: the rule of `memory`.
    unsafe { Handle::with(handle, read) }.unwrap_or_else(|(status, payload)| {
        if let Some(payload) = payload {
            discard(payload);
        }
        status
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_surface_free(surface: *mut Handle<OpenSurface>) {
    // SAFETY: the rule of `memory`.
    unsafe { Handle::free(surface, drop) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_open_skin(
    client: *mut ClientHandle,
    body: u32,
    skin: *mut *mut Handle<OpenSkin>,
    error: *mut hd_error,
) -> i32 {
    let open = |client: &mut Client| {
        let skin = client.skin(body)?;
        let frame = SkinFrame::default();
        Ok(OpenSkin { skin, frame })
    };
    // SAFETY: the rule of `memory`.
    unsafe { give(client, skin, error, open) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_skin_capacity(skin: *const Handle<OpenSkin>, to: *mut hd_counts) -> i32 {
    let count = |it: &mut OpenSkin| {
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(to, counts(it.skin.max_points(), it.skin.max_triangles())) }
    };
    // SAFETY: the rule of `memory`.
    unsafe { call(skin, count) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_skin_version(skin: *const Handle<OpenSkin>) -> u64 {
    // SAFETY: the rule of `memory`.
    unsafe { version(skin, |it| it.skin.version()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_skin_read(
    skin: *mut Handle<OpenSkin>,
    buffers: *const hd_skin_buffers,
    frame: *mut hd_skin_frame,
) -> i32 {
    let read = |it: &mut OpenSkin| -> Result<i32, Misuse> {
        // SAFETY: the rule of `memory`.
        let to = unsafe {
            check_output(frame)?;
            memory::read(buffers)?
        };
        if let Err(error) = it.skin.read(&mut it.frame) {
            return Ok(skin_status(&error));
        }
        // SAFETY: the rule of `memory`.
        unsafe {
            memory::write(frame, &hd_skin_frame::from(&it.frame.header))?;
            copy_frame(&it.frame, &to)?;
        }
        Ok(HD_OK)
    };
    // SAFETY: the rule of `memory`.
    unsafe { read_mesh(skin, read) }
}

/// Copies what the caller wants of a frame: all of it or nothing.
unsafe fn copy_frame(frame: &SkinFrame, to: &hd_skin_buffers) -> Result<(), Misuse> {
    let lists = [
        (to.points_m, &frame.points),
        (to.normals, &frame.normals),
        (to.velocities_m_s, &frame.velocities),
    ];
    let points = frame.points.len();
    let wanted = lists.iter().any(|(list, _)| !list.is_null());
    if wanted && points > to.point_capacity {
        return Err(Misuse::capacity(points, to.point_capacity));
    }
    if !to.triangles.is_null() {
        // SAFETY: the rule of `memory`.
        unsafe { memory::fill(to.triangles.cast(), to.triangle_capacity, &frame.triangles) }?;
    }
    for (list, values) in lists {
        if !list.is_null() {
            // SAFETY: the rule of `memory`.
            unsafe { memory::fill(list.cast(), to.point_capacity, values) }?;
        }
    }
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_skin_free(skin: *mut Handle<OpenSkin>) {
    // SAFETY: the rule of `memory`.
    unsafe { Handle::free(skin, drop) };
}
