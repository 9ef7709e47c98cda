//! The registry of bodies: their owners, and the clients that move them, with the ends of their
//! leases.

use super::super::{BodyRecord, ClientId, Refusal, shapes::ShapeFile};
use hapticd_protocol::{reply::ErrorCode, request::BodyKind};
use hapticd_scene::Shape;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The right of a client to move a body until a given time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lease {
    pub(super) holder: ClientId,
    pub(super) until_ns: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    record: BodyRecord,
    owner: Option<ClientId>,
    lease: Option<Lease>,
    shape: Option<ShapeFile>,
    /// Mesh of a body that a client added, which its instances share.
    mesh: Option<ClientMesh>,
}

/// A mesh that a client added.
#[derive(Clone)]
pub(super) struct ClientMesh {
    /// Prepared for the scene.
    pub(super) shape: Shape,
    /// Whether it encloses an inside.
    pub(super) solid: bool,
    /// Size of the client's file, bytes.
    pub(super) bytes: u64,
}

impl std::fmt::Debug for ClientMesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a mesh of {} bytes", self.bytes)
    }
}

impl ClientMesh {
    fn is(&self, other: &ClientMesh) -> bool {
        Arc::ptr_eq(&self.shape.index, &other.shape.index)
    }
}

fn not_yours(body: u32, whose: &str) -> Refusal {
    Refusal {
        detail: format!("body {body} is {whose}"),
        ..Refusal::new(ErrorCode::NotPermitted, u64::from(body), 0)
    }
}

/// Checks that a body is of a kind that clients move.
fn check_kinematic(record: &BodyRecord) -> Result<(), Refusal> {
    const CAN: &str = "clients can move only kinematic bodies";
    let (body, kind) = (record.body, record.kind);
    let refused = |code, detail| {
        Err(Refusal {
            code,
            number: u64::from(body),
            limit: 0,
            detail,
        })
    };
    match kind {
        BodyKind::Kinematic => Ok(()),
        BodyKind::Static => refused(
            ErrorCode::StaticBody,
            format!("body {body} is static; {CAN}"),
        ),
        BodyKind::Dynamic => refused(
            ErrorCode::NotPermitted,
            format!("body {body} is dynamic: forces move it; {CAN}"),
        ),
        BodyKind::Soft | BodyKind::Cloth | BodyKind::Crowd | BodyKind::Implicit => refused(
            ErrorCode::DeformableBody,
            format!("body {body} is {}; {CAN}", kind.text()),
        ),
    }
}

/// All bodies by id.
#[derive(Clone, Debug, Default)]
pub(super) struct Registry {
    bodies: BTreeMap<u32, Entry>,
}

impl Registry {
    pub(super) fn add(&mut self, record: BodyRecord, owner: Option<ClientId>) {
        self.bodies.insert(
            record.body,
            Entry {
                record,
                owner,
                lease: None,
                shape: None,
                mesh: None,
            },
        );
    }

    /// Gives a client's body its mesh, for its instances.
    pub(super) fn set_mesh(&mut self, body: u32, mesh: ClientMesh) {
        if let Some(entry) = self.bodies.get_mut(&body) {
            entry.mesh = Some(mesh);
        }
    }

    /// The mesh of a body that a client added, and its file.
    pub(super) fn mesh(&self, body: u32) -> Result<(ClientMesh, ShapeFile), Refusal> {
        let number = u64::from(body);
        let entry = self.bodies.get(&body);
        let entry = entry.ok_or_else(|| Refusal::new(ErrorCode::NoSuchBody, number, 0))?;
        let found = entry.mesh.clone().zip(entry.shape.clone());
        found.ok_or_else(|| Refusal {
            detail: format!("body {body} is the configuration's: only clients' have instances"),
            ..Refusal::new(ErrorCode::NoShape, number, 0)
        })
    }

    /// Whether a client owns a body with this mesh.
    pub(super) fn owns_mesh(&self, client: ClientId, mesh: &ClientMesh) -> bool {
        let mut owned = self.meshes(client);
        owned.any(|own| own.is(mesh))
    }

    fn meshes(&self, client: ClientId) -> impl Iterator<Item = &ClientMesh> {
        let owned = self.bodies.values();
        let owned = owned.filter(move |entry| entry.owner == Some(client));
        owned.filter_map(|entry| entry.mesh.as_ref())
    }

    /// Removes a body. Returns whether it existed.
    pub(super) fn remove(&mut self, body: u32) -> bool {
        self.bodies.remove(&body).is_some()
    }

    /// Every body with its owner, in the order of their ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&BodyRecord, Option<ClientId>)> {
        self.bodies
            .values()
            .map(|entry| (&entry.record, entry.owner))
    }

    /// The bodies that a client has added.
    pub(super) fn owned(&self, client: ClientId) -> Vec<u32> {
        self.bodies
            .values()
            .filter(|entry| entry.owner == Some(client))
            .map(|entry| entry.record.body)
            .collect()
    }

    /// The bodies that a client has added or is moving: it answers for their force.
    pub(super) fn responsible_for(&self, client: ClientId) -> Vec<u32> {
        self.bodies
            .values()
            .filter(|entry| {
                entry.owner == Some(client)
                    || entry.lease.is_some_and(|lease| lease.holder == client)
            })
            .map(|entry| entry.record.body)
            .collect()
    }

    /// Bytes of all of a client's meshes in the scene, each counted once.
    pub(super) fn mesh_bytes(&self, client: ClientId) -> u64 {
        let mut counted: Vec<&ClientMesh> = Vec::new();
        for mesh in self.meshes(client) {
            if !counted.iter().any(|other| other.is(mesh)) {
                counted.push(mesh);
            }
        }
        counted.iter().map(|mesh| mesh.bytes).sum()
    }

    /// Checks that a body has a surface that can be opened.
    pub(super) fn check_surface(&self, body: u32) -> Result<(), Refusal> {
        let number = u64::from(body);
        match self.bodies.get(&body) {
            None => Err(Refusal::new(ErrorCode::NoSuchBody, number, 0)),
            Some(entry) if entry.record.kind.has_surface() => Ok(()),
            Some(_) => Err(Refusal::new(ErrorCode::NoSurface, number, 0)),
        }
    }

    /// Checks that a body has a skin that can be opened.
    pub(super) fn check_skin(&self, body: u32) -> Result<(), Refusal> {
        let number = u64::from(body);
        match self.bodies.get(&body) {
            None => Err(Refusal::new(ErrorCode::NoSuchBody, number, 0)),
            Some(entry) if entry.record.kind.has_skin() => Ok(()),
            Some(_) => Err(Refusal::new(ErrorCode::NoSkin, number, 0)),
        }
    }

    /// Gives a body its shape. Returns the shape if there is no such body.
    pub(super) fn set_shape(&mut self, body: u32, file: ShapeFile) -> Option<ShapeFile> {
        match self.bodies.get_mut(&body) {
            Some(entry) => {
                entry.shape = Some(file);
                None
            }
            None => Some(file),
        }
    }

    /// The shape of a body.
    pub(super) fn shape(&self, body: u32) -> Option<&ShapeFile> {
        self.bodies.get(&body)?.shape.as_ref()
    }

    /// Checks that a body has a shape that can be opened.
    pub(super) fn check_shape(&self, body: u32) -> Result<(), Refusal> {
        let number = u64::from(body);
        match self.bodies.get(&body) {
            None => Err(Refusal::new(ErrorCode::NoSuchBody, number, 0)),
            Some(entry) if entry.shape.is_some() => Ok(()),
            Some(_) => Err(Refusal::new(ErrorCode::NoShape, number, 0)),
        }
    }

    /// Checks that a client may remove this body or change its surface.
    pub(super) fn check_owned(&self, client: ClientId, body: u32) -> Result<(), Refusal> {
        let number = u64::from(body);
        match self.bodies.get(&body) {
            None => Err(Refusal::new(ErrorCode::NoSuchBody, number, 0)),
            Some(entry) if entry.record.kind.is_simulated() => {
                Err(Refusal::new(ErrorCode::DeformableBody, number, 0))
            }
            Some(entry) if entry.owner != Some(client) => Err(not_yours(
                body,
                match entry.owner {
                    Some(_) => "another client's",
                    None => "from the configuration: not this client's",
                },
            )),
            Some(_) => Ok(()),
        }
    }

    /// Checks that a client may place this body elsewhere.
    pub(super) fn check_placeable(&self, client: ClientId, body: u32) -> Result<(), Refusal> {
        self.check_owned(client, body)?;
        match self.kind(body) {
            Some(BodyKind::Static) => Err(Refusal::new(ErrorCode::StaticBody, u64::from(body), 0)),
            _ => Ok(()),
        }
    }

    /// Checks that a client may give this body an impulse.
    pub(super) fn check_pushable(&self, client: ClientId, body: u32) -> Result<(), Refusal> {
        self.check_owned(client, body)?;
        match self.kind(body) {
            None | Some(BodyKind::Dynamic) => Ok(()),
            Some(kind) => Err(Refusal {
                detail: format!(
                    "body {body} is {}; only dynamic bodies are pushed",
                    kind.text()
                ),
                ..Refusal::new(ErrorCode::NotPermitted, u64::from(body), 0)
            }),
        }
    }

    fn kind(&self, body: u32) -> Option<BodyKind> {
        self.bodies.get(&body).map(|entry| entry.record.kind)
    }

    /// Ends the lease on a body, of whichever client. Returns whether there was one.
    pub(super) fn end_lease(&mut self, body: u32) -> bool {
        let entry = self.bodies.get_mut(&body);
        entry.is_some_and(|entry| entry.lease.take().is_some())
    }

    /// Checks that an arm may hold this body: it must be one that forces move, of any owner.
    pub(super) fn check_graspable(&self, body: u32) -> Result<(), Refusal> {
        let number = u64::from(body);
        let entry = self.bodies.get(&body);
        let entry = entry.ok_or_else(|| Refusal::new(ErrorCode::NoSuchBody, number, 0))?;
        match entry.record.kind {
            BodyKind::Dynamic => Ok(()),
            kind => Err(Refusal {
                number,
                ..Refusal::text(
                    ErrorCode::NotPermitted,
                    format!("body {body} is {}; arms hold dynamic bodies", kind.text()),
                )
            }),
        }
    }

    /// Checks that a client may move this body now.
    pub(super) fn check_movable(
        &mut self,
        client: ClientId,
        body: u32,
        now_ns: u64,
    ) -> Result<(), Refusal> {
        self.movable(client, body, now_ns).map(|_| ())
    }

    /// Returns a body that a client may move now. It must be kinematic, and either the client's
    /// own, or without an owner and not moved by another client.
    fn movable(&mut self, client: ClientId, body: u32, now_ns: u64) -> Result<&mut Entry, Refusal> {
        let number = u64::from(body);
        let entry = self
            .bodies
            .get_mut(&body)
            .ok_or_else(|| Refusal::new(ErrorCode::NoSuchBody, number, 0))?;
        check_kinematic(&entry.record)?;
        let taken = entry
            .lease
            .is_some_and(|lease| lease.holder != client && lease.until_ns > now_ns);
        match entry.owner {
            Some(owner) if owner != client => Err(not_yours(body, "another client's")),
            None if taken => Err(not_yours(
                body,
                "from the configuration; another client moves it",
            )),
            _ => Ok(entry),
        }
    }

    /// Gives a client the right to move a body until `until_ns`.
    pub(super) fn lease(
        &mut self,
        client: ClientId,
        body: u32,
        now_ns: u64,
        until_ns: u64,
    ) -> Result<(), Refusal> {
        self.movable(client, body, now_ns)?.lease = Some(Lease {
            holder: client,
            until_ns,
        });
        Ok(())
    }

    /// Takes that right back. Returns whether the body was being moved.
    pub(super) fn release(
        &mut self,
        client: ClientId,
        body: u32,
        now_ns: u64,
    ) -> Result<bool, Refusal> {
        Ok(self.movable(client, body, now_ns)?.lease.take().is_some())
    }

    /// Extends every lease of a client to `until_ns` at least.
    pub(super) fn renew(&mut self, client: ClientId, until_ns: u64) {
        for lease in self
            .bodies
            .values_mut()
            .filter_map(|entry| entry.lease.as_mut())
        {
            if lease.holder == client {
                lease.until_ns = lease.until_ns.max(until_ns);
            }
        }
    }

    /// Removes the leases that are over or that `client` holds. Returns the bodies with their
    /// holders.
    pub(super) fn take_leases(
        &mut self,
        now_ns: u64,
        client: Option<ClientId>,
    ) -> Vec<(u32, ClientId)> {
        let mut ended = Vec::new();
        for entry in self.bodies.values_mut() {
            if let Some(lease) = entry.lease
                && (lease.until_ns <= now_ns || Some(lease.holder) == client)
            {
                entry.lease = None;
                ended.push((entry.record.body, lease.holder));
            }
        }
        ended
    }

    /// Time at which the next lease ends.
    pub(super) fn next_end_ns(&self) -> Option<u64> {
        self.bodies
            .values()
            .filter_map(|entry| entry.lease)
            .map(|lease| lease.until_ns)
            .min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::{Vec3, shapes};
    use hapticd_protocol::text::Name;

    const A: ClientId = ClientId(1);
    const B: ClientId = ClientId(2);

    fn registry() -> Registry {
        let mut registry = Registry::default();
        for (body, kind, owner) in [
            (1, BodyKind::Static, None),
            (2, BodyKind::Kinematic, None),
            (3, BodyKind::Kinematic, Some(A)),
            (4, BodyKind::Soft, None),
            (5, BodyKind::Cloth, None),
        ] {
            let name = Name::new(&format!("body {body}")).unwrap();
            registry.add(
                BodyRecord {
                    body,
                    name,
                    kind,
                    triangles: 12,
                },
                owner,
            );
        }
        registry
    }

    fn code<T: std::fmt::Debug>(result: Result<T, Refusal>) -> ErrorCode {
        result.unwrap_err().code
    }

    #[test]
    fn only_its_owner_moves_or_removes_a_clients_body() {
        let mut registry = registry();
        assert_eq!(registry.lease(A, 3, 0, 10), Ok(()));
        assert_eq!(code(registry.lease(B, 3, 20, 30)), ErrorCode::NotPermitted);
        assert_eq!(registry.check_owned(A, 3), Ok(()));
        assert_eq!(code(registry.check_owned(B, 3)), ErrorCode::NotPermitted);
        assert_eq!(code(registry.check_owned(A, 2)), ErrorCode::NotPermitted);
        assert_eq!(code(registry.check_owned(A, 9)), ErrorCode::NoSuchBody);
        assert_eq!(registry.owned(A), [3]);
        let mesh = || ClientMesh {
            shape: Shape::of(shapes::cuboid(&Vec3::repeat(0.1)).unwrap()).0,
            solid: true,
            bytes: 100,
        };
        let (one, other) = (mesh(), mesh());
        registry.set_mesh(3, one.clone());
        assert_eq!((registry.mesh_bytes(A), registry.mesh_bytes(B)), (100, 0));
        assert!(registry.owns_mesh(A, &one) && !registry.owns_mesh(A, &other));
        // An instance costs its owner nothing more; a mesh of its own does.
        for (body, owner, mesh) in [(6, A, &one), (7, A, &other), (8, B, &one)] {
            let record = BodyRecord {
                body,
                name: Name::new(&format!("body {body}")).unwrap(),
                kind: BodyKind::Kinematic,
                triangles: 12,
            };
            registry.add(record, Some(owner));
            registry.set_mesh(body, mesh.clone());
        }
        assert_eq!((registry.mesh_bytes(A), registry.mesh_bytes(B)), (200, 100));
        registry.remove(3);
        assert_eq!(registry.mesh_bytes(A), 200, "its instance keeps it");
    }

    #[test]
    fn a_deformable_body_has_a_surface_and_is_neither_moved_nor_removed() {
        let mut registry = registry();
        for body in [4, 5] {
            assert_eq!(registry.check_surface(body), Ok(()));
            for refusal in [
                registry.lease(A, body, 0, 10).unwrap_err(),
                registry.release(A, body, 0).unwrap_err(),
                registry.check_owned(A, body).unwrap_err(),
            ] {
                let number = u64::from(body);
                let expected = (ErrorCode::DeformableBody, number);
                assert_eq!((refusal.code, refusal.number), expected);
            }
        }
        for body in [1, 2, 3] {
            assert_eq!(code(registry.check_surface(body)), ErrorCode::NoSurface);
        }
        assert_eq!(code(registry.check_surface(9)), ErrorCode::NoSuchBody);
        assert_eq!(
            (registry.responsible_for(A), registry.next_end_ns()),
            (vec![3], None)
        );
    }

    #[test]
    fn an_unowned_body_has_one_mover_at_a_time() {
        let mut registry = registry();
        assert_eq!(registry.lease(A, 2, 0, 10), Ok(()));
        assert_eq!(code(registry.lease(B, 2, 9, 30)), ErrorCode::NotPermitted);
        assert_eq!(registry.lease(B, 2, 10, 30), Ok(()));
        assert_eq!(registry.responsible_for(B), [2]);
        assert_eq!(code(registry.release(A, 2, 20)), ErrorCode::NotPermitted);
        assert_eq!(registry.release(B, 2, 20), Ok(true));
        assert_eq!(registry.release(B, 2, 20), Ok(false));
        assert_eq!(code(registry.lease(A, 1, 0, 1)), ErrorCode::StaticBody);
    }

    #[test]
    fn leases_end_when_they_are_over_or_their_holder_goes() {
        let mut registry = registry();
        registry.lease(A, 2, 0, 10).unwrap();
        registry.lease(A, 3, 0, 20).unwrap();
        assert_eq!(registry.next_end_ns(), Some(10));
        assert_eq!(registry.take_leases(9, None), []);
        assert_eq!(registry.take_leases(10, None), [(2, A)]);
        assert_eq!(registry.next_end_ns(), Some(20));
        registry.renew(B, 99);
        registry.renew(A, 15);
        assert_eq!(registry.next_end_ns(), Some(20), "renewing never shortens");
        registry.renew(A, 50);
        assert_eq!(registry.take_leases(20, Some(B)), []);
        assert_eq!(registry.take_leases(20, Some(A)), [(3, A)]);
        assert_eq!(registry.next_end_ns(), None);
    }
}
