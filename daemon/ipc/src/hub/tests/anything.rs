//! Arbitrary sequences of actions of clients and daemon.

use super::super::Pending;
use super::*;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Connect(bool),
    Packet(usize, Vec<u8>),
    Request(usize, usize),
    Disconnect(usize),
    Answer(u64, bool),
    Import(u64),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        any::<bool>().prop_map(Step::Connect),
        (0_usize..4, prop::collection::vec(any::<u8>(), 0..120))
            .prop_map(|(client, bytes)| Step::Packet(client, bytes)),
        (0_usize..4, 0_usize..24).prop_map(|(client, which)| Step::Request(client, which)),
        (0_usize..4, 0_usize..24).prop_map(|(client, which)| Step::Request(client, which)),
        (0_usize..4, 0_usize..24).prop_map(|(client, which)| Step::Request(client, which)),
        (0_usize..4).prop_map(Step::Disconnect),
        (1_u64..12, any::<bool>()).prop_map(|(token, good)| Step::Answer(token, good)),
        (1_u64..12).prop_map(Step::Import),
        (0_u64..400).prop_map(Step::Wait),
    ]
}

fn add_of(kind: BodyKind) -> request::AddBody {
    request::AddBody { kind, ..add("x") }
}

fn some_request(which: usize) -> (Request, Vec<u32>) {
    let request: Request = match which {
        0 => request::Hello::new(name("x")).into(),
        1 => return (add("x").into(), vec![1]),
        2 => add("x").into(),
        3 => request::Goodbye {}.into(),
        4 => request::SetFocus { focused: false }.into(),
        5 => request::RenewLeases { lease_ms: 50 }.into(),
        6 => request::Reload {}.into(),
        7 => request::Subscribe {
            arm: 0,
            topics: topic::EVENTS,
        }
        .into(),
        8 => request::RemoveBody { body: 100 }.into(),
        9 => request::HaltBody { body: 2 }.into(),
        10 => move_body(2, 100).into(),
        16 => request::OpenSurface { body: 3 }.into(),
        17 => request::OpenSurface { body: 100 }.into(),
        18 => move_body(3, 100).into(),
        19 => request::RemoveBody { body: 4 }.into(),
        20 => request::HaltBody { body: 4 }.into(),
        22 => request::OpenShape { body: 100 }.into(),
        23 => request::OpenShape { body: u32::MAX }.into(),
        21 => return (add_of(BodyKind::Cloth).into(), vec![1]),
        _ => move_body(100 + which as u32 % 3, 100).into(),
    };
    (request, vec![])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// For any sequence of actions, every announced client is gone exactly once, with all its
    /// bodies in the scene. After all clients have left, no body of theirs is left and nothing
    /// moves, and the deformable bodies never did.
    #[test]
    fn everything_a_client_brought_leaves_with_it(steps in prop::collection::vec(step(), 1..80)) {
        let mut fixture = Fixture::with_deformables(Quotas { clients: 4, bodies: 3, ..Quotas::default() });
        let mut clients = [ClientId(0); 4];
        let mut in_scene = std::collections::BTreeSet::new();
        let mut moving = std::collections::BTreeSet::new();
        let mut gone = std::collections::BTreeSet::new();
        let mut next_body = 100;
        let mut last = false;
        let mut steps = steps.into_iter();
        loop {
            match steps.next() {
                Some(Step::Connect(technician)) => {
                    let role = if technician { Role::Technician } else { Role::App };
                    if let Ok(client) = fixture.hub.connect(role, true, fixture.now_ns) {
                        let free = clients.iter().position(|slot| gone.contains(slot) || slot.0 == 0).unwrap_or(0);
                        clients[free] = client;
                    }
                }
                Some(Step::Packet(client, bytes)) => fixture.hub.receive(clients[client], &bytes, vec![], fixture.now_ns, &mut fixture.out),
                Some(Step::Request(client, which)) => {
                    let (request, files) = some_request(which);
                    fixture.send(clients[client], request, files);
                }
                Some(Step::Disconnect(client)) => fixture.hub.disconnect(clients[client], GoneWhy::Closed, &mut fixture.out),
                Some(Step::Answer(token, good)) => {
                    let answer = if good { Answer::Added { body: next_body } } else { Answer::Refused(Refusal::new(ErrorCode::NameTaken, 0, 0)) };
                    let waiting = matches!(fixture.hub.pending.get(&token), Some(Pending::Add(_)));
                    if good && waiting {
                        in_scene.insert(next_body);
                        next_body += 1;
                    }
                    fixture.hub.answer(token, &answer, fixture.now_ns, &mut fixture.out);
                }
                Some(Step::Import(token)) => fixture.hub.imported(token, Err(Refusal::new(ErrorCode::InvalidMesh, 0, 0)), fixture.now_ns, &mut fixture.out),
                Some(Step::Wait(ms)) => {
                    fixture.now_ns += ms * MS;
                    fixture.expire();
                }
                None if last => break,
                None => {
                    last = true;
                    let all: Vec<ClientId> = fixture.hub.sessions.keys().copied().collect();
                    for client in all {
                        fixture.hub.disconnect(client, GoneWhy::ShuttingDown, &mut fixture.out);
                    }
                    let tokens: Vec<u64> = fixture.hub.pending.keys().copied().collect();
                    for token in tokens {
                        fixture.hub.answer(token, &Answer::Refused(Refusal::new(ErrorCode::Busy, 0, 0)), fixture.now_ns, &mut fixture.out);
                    }
                }
            }
            for output in fixture.out.drain(..) {
                match output {
                    Output::Command(Command::Gone { client, bodies, .. }) => {
                        prop_assert!(gone.insert(client), "{} is gone twice", client.0);
                        for body in bodies {
                            prop_assert!(in_scene.remove(&body));
                            moving.remove(&body);
                        }
                    }
                    Output::Command(Command::RemoveBody { body } | Command::Orphaned { body }) => {
                        prop_assert!(in_scene.remove(&body));
                        moving.remove(&body);
                    }
                    Output::Command(Command::MoveBody { body, .. }) => {
                        prop_assert!(!(3..=4).contains(&body), "a deformable body is moved");
                        moving.insert(body);
                    }
                    Output::Import(import) => prop_assert!(!import.request.kind.has_surface()),
                    Output::Command(Command::HaltBody { body }) => { moving.remove(&body); }
                    Output::Reply { client, .. } | Output::Event { client, .. } => {
                        prop_assert!(!gone.contains(&client), "{} is gone and is still talked to", client.0);
                    }
                    _ => {}
                }
            }
        }
        prop_assert!(in_scene.is_empty(), "left behind: {in_scene:?}");
        prop_assert!(moving.is_empty(), "still moving: {moving:?}");
        prop_assert_eq!(fixture.hub.registry.iter().count(), 4);
        prop_assert_eq!(fixture.hub.clients(), 0);
    }
}
