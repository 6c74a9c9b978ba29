//! Arithmetic on single elements, with StableHLO's meaning.
