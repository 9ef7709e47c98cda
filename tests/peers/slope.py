#!/usr/bin/env python3
"""MuJoCo (PyPI `mujoco`) and PyBullet (PyPI `pybullet`) on the slope of `tests/peers`: slope.py REQUEST.json prints one JSON object.

The request: the cube's half width in m, its density in kg/m3, gravity in the slope's frame (x down the slope, z off it) in m/s2, the step in s, the number of
steps, and the coefficients of friction to try. The answer: for each engine the metres that the cube went along x, one for each coefficient. The cube starts
touching the slope, at rest; damping is off, nobody sleeps. `MuJoCo` is as it comes (pyramidal cones); `MuJoCo, no slip` has elliptic cones, impratio 100 and
10 of its iterations against slip, which its manual has against creep. Of two coefficients MuJoCo takes the larger and Bullet the product, so
the slope has the cube's and 1.
"""

import json
import sys

import mujoco
import pybullet


def in_mujoco(scene, friction, options):
    half, dt = scene["half_m"], scene["dt_s"]
    gravity = " ".join(str(x) for x in scene["gravity"])
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco>
          <option timestep="{dt}" gravity="{gravity}" {options}/>
          <default><geom friction="{friction} 0.005 0.0001"/></default>
          <worldbody>
            <geom type="box" size="10 10 {half}" pos="0 0 {-half}"/>
            <body pos="0 0 {half}"><freejoint/><geom type="box" size="{half} {half} {half}" density="{scene["density"]}"/></body>
          </worldbody>
        </mujoco>"""
    )
    data = mujoco.MjData(model)
    for _ in range(scene["steps"]):
        mujoco.mj_step(model, data)
    return float(data.qpos[0])


def in_bullet(scene, friction):
    half = scene["half_m"]
    pybullet.connect(pybullet.DIRECT)
    pybullet.setGravity(*scene["gravity"])
    pybullet.setTimeStep(scene["dt_s"])

    def box(halves, mass, height):
        shape = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=halves)
        return pybullet.createMultiBody(mass, shape, basePosition=[0, 0, height])

    slope = box([10, 10, half], 0, -half)
    cube = box([half] * 3, scene["density"] * (2 * half) ** 3, half)
    pybullet.changeDynamics(slope, -1, lateralFriction=1, restitution=0)
    pybullet.changeDynamics(cube, -1, lateralFriction=friction, restitution=0, linearDamping=0, angularDamping=0)
    for _ in range(scene["steps"]):
        pybullet.stepSimulation()
    (x, _, _), _ = pybullet.getBasePositionAndOrientation(cube)
    pybullet.disconnect()
    return x


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        scene = json.load(file)
    no_slip = 'cone="elliptic" impratio="100" noslip_iterations="10"'
    engines = {
        "MuJoCo": lambda mu: in_mujoco(scene, mu, ""),
        "MuJoCo, no slip": lambda mu: in_mujoco(scene, mu, no_slip),
        "PyBullet": lambda mu: in_bullet(scene, mu),
    }
    print(json.dumps({name: [run(mu) for mu in scene["friction"]] for name, run in engines.items()}))


main()
