import math

world = World(duration=1.5, fps=30)
tilt = math.radians(20)
n = [-math.sin(tilt), 0.0, math.cos(tilt)]
ramp = Plane("ramp", normal=n, offset=0.0, friction=1.0, restitution=0.5)
crate = Object("crate", geometry="box", size=[0.2, 0.15, 0.1], mass=1.2, friction=0.25, restitution=0.1,
               pos=[0.05 * c for c in n], euler_deg=[0, -20, 0], vel=[0, 0, 0], acc=[0, 0, -9.8])
key = DirectionalLight("key", direction=[-0.3, 0.5, -0.8], intensity=2.5)
camera = Camera(pos=[0.0, -2.5, 0.8], target=[0, 0, 0], fov_y_deg=45)
