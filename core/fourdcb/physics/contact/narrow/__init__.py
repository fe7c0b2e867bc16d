"""The narrow phase: contacts of every pair of shapes, exact where a closed form is known.

Usage, all of it callable from compiled code::

    table = shape_table(world)            # once; bodies in the order of world.bodies
    work = workspace(table)               # scratch memory, one for each thread
    rows = contacts(64)                   # the rows to fill in
    n = collide(table, work, i, j, pos_i, rot_i, pos_j, rot_j, margin, rows, first)

``pos`` [m], shape (3,), and ``rot`` = world_from_body, shape (3, 3), are float64 arrays and belong to the
*body's frame*: origin in the centre of mass, axes along the principal axes of inertia (``BodyForm.center``
and ``axes_wxyz`` say where that is in the object's frame; a cone's centre is a quarter of its height above
the base). A half space fills z ≤ 0 of its frame: its ``pos`` is any point of the surface, its z axis the
normal.

``collide`` writes rows ``first … n - 1`` (:class:`Contacts`): point midway between the surfaces, unit normal
from j to i, signed distance (up to ``margin``), a feature key that the next substep has again, and the area
and lever of the patch. It writes nothing for bodies farther apart than ``margin``, and returns more than
there are rows when room is missing. Points, normals and distances turn with the scene and do not depend on
the order of i and j; every tolerance is relative to the bodies' sizes.
"""

from fourdcb.physics.contact.narrow.build import body_form as body_form
from fourdcb.physics.contact.narrow.build import shape_table as shape_table
from fourdcb.physics.contact.narrow.build import table_of as table_of
from fourdcb.physics.contact.narrow.collide import collide as collide
from fourdcb.physics.contact.narrow.forms import BodyForm as BodyForm
from fourdcb.physics.contact.narrow.forms import PartForm as PartForm
from fourdcb.physics.contact.narrow.scratch import workspace as workspace
from fourdcb.physics.contact.narrow.table import Contacts as Contacts
from fourdcb.physics.contact.narrow.table import ShapeTable as ShapeTable
from fourdcb.physics.contact.narrow.table import Workspace as Workspace
from fourdcb.physics.contact.narrow.table import contacts as contacts
