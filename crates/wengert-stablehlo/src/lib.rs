//! StableHLO's text form, in and out.
