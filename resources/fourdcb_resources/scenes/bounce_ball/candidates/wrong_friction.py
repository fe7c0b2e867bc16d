# A glossy ball is thrown with backspin. It bounces on a wooden floor; every touch trades spin for speed,
# so both restitution (how high) and friction (how far) can be seen.
world = World(duration=4.0, fps=30)

ball = Object(
    "ball",
    geometry="sphere",
    size=[0.16, 0.16, 0.16],
    mass=0.20,
    friction=0.05,
    restitution=0.80,
    rolling_friction=0.006,
    pos=[-0.15, 0.0, 0.62],
    vel=[0.75, 0.0, 0.0],
    ang_vel=[0.0, -35.0, 0.0],
    acc=[0.0, 0.0, -9.8],
    material=Material(base_color=[0.75, 0.16, 0.12], roughness=0.25, metallic=0.0),
)
floor = Plane(
    "floor",
    normal=[0.0, 0.0, 1.0],
    offset=0.0,
    friction=1.0,
    restitution=1.0,
    material=Material(base_color=[0.58, 0.50, 0.42], roughness=0.7, metallic=0.0),
)

sun = DirectionalLight("sun", direction=[-0.45, 0.55, -0.75], intensity=4.0)
camera = Camera(pos=[0.0, -1.75, 0.62], target=[0.0, 0.0, 0.30], fov_y_deg=40, width=256, height=256)
