"""What an estimator of sequences holds."""

from riata.models.chain import ChainModel
from riata.models.joint import JointModel
from riata.models.segments import SegmentModel

Model = ChainModel | SegmentModel | JointModel
