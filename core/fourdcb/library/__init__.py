"""Libraries of judged cases: index, filters, notes, and adding to them."""

from fourdcb.library.add import add_case as add_case
from fourdcb.library.case_library import CaseLibrary as CaseLibrary
from fourdcb.library.entry import VERDICTS as VERDICTS
from fourdcb.library.entry import Annotation as Annotation
from fourdcb.library.entry import CaseEntry as CaseEntry
from fourdcb.library.entry import CaseFiles as CaseFiles
from fourdcb.library.filter import FACETS as FACETS
from fourdcb.library.filter import SORTS as SORTS
from fourdcb.library.filter import CaseFilter as CaseFilter
from fourdcb.library.filter import parse_filter as parse_filter
