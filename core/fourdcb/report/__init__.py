"""Writing judgements down: JSON, HTML, PDF, pictures, side-by-side video, heatmaps."""

from fourdcb.report.cases import store_case as store_case
from fourdcb.report.edits import EditComparison as EditComparison
from fourdcb.report.edits import EditedValue as EditedValue
from fourdcb.report.edits import failing_frame as failing_frame
from fourdcb.report.evaluation import media_folder as media_folder
from fourdcb.report.evaluation import write_evaluation as write_evaluation
from fourdcb.report.files import load_report as load_report
from fourdcb.report.files import write_report as write_report
from fourdcb.report.heatmaps import heatmap_matrices as heatmap_matrices
from fourdcb.report.heatmaps import write_heatmaps as write_heatmaps
from fourdcb.report.html import render_html as render_html
from fourdcb.report.html import write_page as write_page
from fourdcb.report.pictures import comparison_picture as comparison_picture
from fourdcb.report.pictures import png_bytes as png_bytes
from fourdcb.report.pictures import side_by_side as side_by_side
from fourdcb.report.view import FindingPicture as FindingPicture
