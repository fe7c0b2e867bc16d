"""The words that people read, one file a language; nothing decides by them."""

from fourdcb.words.catalogue import ENGLISH as ENGLISH
from fourdcb.words.catalogue import LANGUAGE_VARIABLE as LANGUAGE_VARIABLE
from fourdcb.words.catalogue import Catalogue as Catalogue
from fourdcb.words.catalogue import Entry as Entry
from fourdcb.words.catalogue import choose as choose
from fourdcb.words.catalogue import chosen as chosen
from fourdcb.words.catalogue import languages as languages
from fourdcb.words.catalogue import load as load
from fourdcb.words.catalogue import mismatches as mismatches
from fourdcb.words.catalogue import system_language as system_language
from fourdcb.words.catalogue import tr as tr
from fourdcb.words.findings import finding_sentence as finding_sentence
from fourdcb.words.findings import sentence_of as sentence_of
from fourdcb.words.names import axis_meaning as axis_meaning
from fourdcb.words.names import axis_title as axis_title
from fourdcb.words.names import listed as listed
from fourdcb.words.names import metric_title as metric_title
from fourdcb.words.names import status_title as status_title
from fourdcb.words.names import unit_sign as unit_sign
from fourdcb.words.names import verdict_title as verdict_title
