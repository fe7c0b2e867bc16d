world = World(duration=2.0, fps=30)
floor = Plane("floor", friction=1.0, restitution=1.0)
for i in range(4):
    Object(f"domino_{i}", geometry="box", size=[0.02, 0.08, 0.16], mass=0.12, friction=0.4, restitution=0.1,
           pos=[0.1 * i, 0.0, 0.08], vel=[0, 0, 0], ang_vel=[0, 2.0 if i == 0 else 0, 0], acc=[0, 0, -9.8])
key = DirectionalLight("key", direction=[-0.3, 0.5, -0.8], intensity=2.5)
camera = Camera(pos=[0.2, -1.5, 0.6], target=[0.2, 0.0, 0.1], fov_y_deg=35)
