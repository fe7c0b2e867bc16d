"""The world model: frozen values, their flat parameter view, effective contact properties, validation."""

from fourdcb.world.camera import Camera as Camera
from fourdcb.world.contact import (
    ContactProperties as ContactProperties,
)
from fourdcb.world.contact import (
    contact_properties as contact_properties,
)
from fourdcb.world.contact import (
    effective_mass as effective_mass,
)
from fourdcb.world.contact import (
    is_static as is_static,
)
from fourdcb.world.contact import (
    primitive_volume as primitive_volume,
)
from fourdcb.world.fluid import Fluid as Fluid
from fourdcb.world.lights import AreaLight as AreaLight
from fourdcb.world.lights import DirectionalLight as DirectionalLight
from fourdcb.world.lights import Light as Light
from fourdcb.world.lights import PointLight as PointLight
from fourdcb.world.lights import intensity_at as intensity_at
from fourdcb.world.lights import light_at as light_at
from fourdcb.world.material import Material as Material
from fourdcb.world.model import BodyKind as BodyKind
from fourdcb.world.model import Geometry as Geometry
from fourdcb.world.model import Keyframe as Keyframe
from fourdcb.world.model import Object as Object
from fourdcb.world.model import Plane as Plane
from fourdcb.world.model import Surfaced as Surfaced
from fourdcb.world.model import World as World
from fourdcb.world.parameters import Parameter as Parameter
from fourdcb.world.parameters import parameter as parameter
from fourdcb.world.parameters import parameters as parameters
from fourdcb.world.parameters import with_value as with_value
from fourdcb.world.stage import on_stage_of as on_stage_of
