// Compiles only where the package's types are right.
import { BodyKind, box, Hapticd, Refused, topic, vectorToYUp } from "@hapticd/client";

const client: Hapticd = await Hapticd.connect({ url: "ws://x/v1", token: "t", name: "n" });
const names: string[] = (await client.listArms()).map((arm) => arm.name);
await client.subscribe(0, topic.STATE);
await client.setPushRates({ state_hz: 60 });
const force: number[] | undefined = client.state(0)?.force_n;
const depth: number | undefined = client.needle(0)?.depth_m;
const tick: bigint | undefined = client.state(0)?.tick;
const { body, triangles } = await client.addBody(
  {
    name: "box",
    world_from_body: [0, 0, 0, 0, 0, 0, 1],
    stiffness_n_per_m: 500,
    damping_n_s_per_m: 1,
    friction: 0.3,
    kind: BodyKind.Kinematic,
    solid: true,
  },
  box(0.1, 0.1, 0.1),
);
const limits = await client.request("GetLimits", { arm: 0 });
const peak: number = limits.peak_force_n;
client.post("RenewLeases", { lease_ms: 200 });
// @ts-expect-error A field is missing.
client.post("SetBodyPose", { body });
// @ts-expect-error There is no such request.
await client.request("Nothing", {});
// @ts-expect-error Limits have no such field.
limits.color;
const [x] = vectorToYUp([1, 2, 3]);
const refused: number | undefined = new Refused("x", {} as never).code;
export { depth, force, names, peak, refused, tick, triangles, x };
