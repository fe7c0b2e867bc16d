# A heavy metal ball runs into a light one at rest, which comes back from a stop and meets it again. The speeds after the collision
# show the ratio of the masses and the restitution; the way both slide until they roll shows the friction.
world = World(duration=4.0, fps=30)

heavy = Object(
    "heavy",
    geometry="sphere",
    size=[0.16, 0.16, 0.16],
    mass=0.60,
    friction=0.20,
    restitution=0.90,
    rolling_friction=0.002,
    pos=[-0.38, 0.02, 0.08],
    vel=[1.15, 0.0, 0.0],
    acc=[0.0, 0.0, -9.8],
    material=Material(base_color=[0.83, 0.66, 0.34], roughness=0.30, metallic=1.0),
)
light = Object(
    "light",
    geometry="sphere",
    size=[0.12, 0.12, 0.12],
    mass=0.20,
    friction=0.20,
    restitution=0.90,
    rolling_friction=0.002,
    pos=[-0.05, 0.01, 0.06],
    vel=[0.0, 0.0, 0.0],
    acc=[0.0, 0.0, -9.8],
    material=Material(base_color=[0.10, 0.32, 0.62], roughness=0.25, metallic=0.0),
)
stop = Object(
    "stop",
    geometry="box",
    size=[0.08, 0.30, 0.16],
    pos=[0.58, 0.0, 0.08],
    vel=[0.0, 0.0, 0.0],
    acc=[0.0, 0.0, 0.0],
    fixed=True,
    friction=1.0,
    restitution=0.6,
    material=Material(base_color=[0.30, 0.31, 0.34], roughness=0.50, metallic=0.0),
)
floor = Plane(
    "floor",
    normal=[0.0, 0.0, 1.0],
    offset=0.0,
    friction=1.0,
    restitution=0.5,
    material=Material(base_color=[0.45, 0.47, 0.45], roughness=0.65, metallic=0.0),
)

sun = DirectionalLight("sun", direction=[0.45, 0.55, -0.75], intensity=4.0)
camera = Camera(pos=[0.13, -1.28, 0.88], target=[0.12, 0.0, 0.02], fov_y_deg=43, width=256, height=256)
