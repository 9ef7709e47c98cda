#!/usr/bin/env python3
"""Bullet's GIMPACT (PyPI `panda3d`) on a crowd of concave bodies over a plane: gimpact.py REQUEST.json prints one JSON object.

`step_s`: processor time of every step; `below`: bodies that are under the plane at the end. PyBullet has no way to GIMPACT: its moving concave meshes do
not touch each other. Exit status 3: panda3d is not installed.
"""

import json
import sys
import time

try:
    from panda3d.bullet import BulletBoxShape, BulletRigidBodyNode, BulletTriangleMesh, BulletTriangleMeshShape, BulletWorld
    from panda3d.core import LQuaternion, Point3, TransformState, Vec3
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

# Bullet's own is 4 cm, half a body here.
MARGIN_M = 0.001


def shape(description):
    mesh = BulletTriangleMesh()
    points = [Point3(*p) for p in description["vertices"]]
    for a, b, c in description["triangles"]:
        mesh.addTriangle(points[a], points[b], points[c])
    # Dynamic is what makes it one of GIMPACT's.
    made = BulletTriangleMeshShape(mesh, dynamic=True)
    made.setMargin(MARGIN_M)
    return made


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        request = json.load(file)
    world = BulletWorld()
    world.setGravity(Vec3(0, 0, -9.81))
    plane = BulletRigidBodyNode("plane")
    plane.addShape(BulletBoxShape(Vec3(20, 20, 0.5)), TransformState.makePos(Point3(0, 0, -0.5)))
    plane.setFriction(request["friction"])
    world.attach(plane)
    shapes = [shape(description) for description in request["shapes"]]
    bodies = []
    for body in request["bodies"]:
        node = BulletRigidBodyNode("body")
        node.addShape(shapes[body["shape"]])
        node.setMass(request["shapes"][body["shape"]]["mass"])
        node.setFriction(request["friction"])
        # Ours never sleep.
        node.setDeactivationEnabled(False)
        node.setTransform(TransformState.makePosQuatScale(Point3(*body["t"]), LQuaternion(*body["q"]), Vec3(1, 1, 1)))
        world.attach(node)
        bodies.append(node)
    step_s, seconds = request["step_s"], []
    for _ in range(request["steps"]):
        start = time.process_time()
        world.doPhysics(step_s, 1, step_s)
        seconds.append(time.process_time() - start)
    below = sum(node.getTransform().getPos().z < -0.1 for node in bodies)
    print(json.dumps({"step_s": seconds, "below": below}))


main()
