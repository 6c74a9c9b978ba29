//! A function and the tape of its last run: change a value, and only what depends on it is done again.

use crate::array::Array;
use crate::fail::ok;
use crate::function::{Args, Function, Shared};
use crate::record::{Recorder, finish};
use crate::stage::Flat;
use crate::tree::Tree;
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Place, Result};
use wengert_tape::record::Recording;
use wengert_tape::{Capture, Changes, Kind, NodeId, Tape};

/// A function, and the tape of its last run with all values: see [`Recorder::live`].
pub struct Live<'f, A: Args, R: Tree> {
    f: Shared<'f, A, R>,
    recorder: Recorder,
    name: String,
    place: Place,
    structure: A::Structure,
    arguments: Vec<NodeId>,
    out: R::Structure,
    /// Its own, but while the function runs again and takes values from it.
    tape: Arc<Tape>,
}

impl Recorder {
    /// Runs a function and keeps its tape with all values, so that arguments can be changed and the results follow.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// // A decision of the host: it goes another way once the sum is negative.
    /// let f = |x: Array, y: Array| if &x + &y > 0.0 { x * y } else { -y };
    /// let mut live = Recorder::new().live(f, (Array::from(2.0f32), Array::from(3.0f32)));
    /// assert_eq!(live.value().item::<f32>(), 6.0);
    /// live.set(live.argument(0), Array::from(4.0f32)).unwrap();
    /// assert_eq!(live.update().unwrap().changed.len(), 2);
    /// assert_eq!(live.value().item::<f32>(), 12.0);
    /// live.set(live.argument(0), Array::from(-5.0f32)).unwrap();
    /// assert!(live.update().is_err());
    /// live.update_or_rerun().unwrap();
    /// assert_eq!(live.value().item::<f32>(), -3.0);
    /// ```
    #[track_caller]
    pub fn live<'f, A: Args + 'f, F>(mut self, f: F, args: A) -> Live<'f, A, F::Output>
    where
        F: Function<A> + Send + Sync + 'f,
        F::Output: Tree + 'f,
    {
        self.settings.capture = Capture::Values;
        let (name, place) = (f.name().to_string(), Place::caller());
        let f: Shared<'f, A, F::Output> = Arc::new(move |a| f.call(a));
        let flat = Flat::new(&args);
        let structure = flat.structure.clone();
        let (tape, arguments, out) = run(&f, &self, &name, &place, flat, None);
        Live { f, recorder: self, name, place, structure, arguments, out, tape }
    }
}

/// Runs and records a function, taking from another tape what is the same up to a node.
fn run<A: Args, R: Tree>(
    f: &Shared<'_, A, R>,
    recorder: &Recorder,
    name: &str,
    place: &Place,
    flat: Flat<A>,
    replay: Option<(Arc<Tape>, NodeId)>,
) -> (Arc<Tape>, Vec<NodeId>, R::Structure) {
    let scope = Recording::start(recorder.settings.clone(), name, place);
    if let Some((tape, until)) = replay {
        scope.replay(tape, until);
    }
    let names = flat.names();
    let Flat { mut leaves, structure } = flat;
    for (x, n) in leaves.iter_mut().zip(&names) {
        scope.argument(n, x, place);
    }
    // The arguments are the first children of the root.
    let arguments = (1..=leaves.len() as u32).map(NodeId::from).collect();
    let out = f(A::unflatten(&structure, &mut leaves.into_iter()));
    let tape = finish(scope, &out, place);
    (Arc::new(tape), arguments, out.flatten(&mut Vec::new()))
}

/// What [`Live::update_or_rerun`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// Only what depends on the changes was computed.
    Updated(Changes),
    /// A decision went another way, or the host read another value: the function was run again, what it did before this
    /// node taken from the tape.
    Reran(NodeId),
}

impl<A: Args, R: Tree> Live<'_, A, R> {
    /// The tape of the last run.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let live = Recorder::new().live(|x: Array| x * 2.0, (Array::from(1.0f32),));
    /// assert!(live.tape().to_string().contains("mul"));
    /// ```
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// The node of an argument, counted over the arrays of all arguments.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let live = Recorder::new().live(|x: Array| x * 2.0, (Array::from(1.0f32),));
    /// assert!(live.tape().node(live.argument(0)).value(0).is_some());
    /// ```
    #[track_caller]
    pub fn argument(&self, i: usize) -> NodeId {
        self.arguments[i]
    }

    /// Gives a node another value; [`Live::update`] makes the rest follow.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let mut live = Recorder::new().live(|x: Array| x * 2.0, (Array::from(1.0f32),));
    /// live.set(live.argument(0), Array::from(5.0f32))?;
    /// live.update()?;
    /// assert_eq!(live.value().item::<f32>(), 10.0);
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn set(&mut self, node: impl Into<NodeId>, value: impl Into<Array>) -> Result<()> {
        Arc::make_mut(&mut self.tape).set(node, value.into().to_tensor())
    }

    /// Recomputes what depends on the values that were set. A decision that would go another way is an error.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let mut live = Recorder::new().live(|x: Array| x * 2.0, (Array::from(1.0f32),));
    /// live.set(live.argument(0), Array::from(5.0f32))?;
    /// assert!(!live.update()?.changed.is_empty());
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn update(&mut self) -> Result<Changes> {
        Arc::make_mut(&mut self.tape).update()
    }

    /// [`Live::update`]; where a decision goes another way, or the host read a value that is different now, the function is
    /// run again from there.
    ///
    /// # Errors
    /// If an array that the function has from elsewhere was set: a run would see its old value. Make it an argument.
    ///
    /// ```
    /// use wengert::{Array, Followed, Recorder};
    /// let abs = |x: Array| if x > 0.0 { x } else { -x };
    /// let mut live = Recorder::new().live(abs, (Array::from(1.0f32),));
    /// live.set(live.argument(0), Array::from(-5.0f32))?;
    /// assert!(matches!(live.update_or_rerun()?, Followed::Reran(_)));
    /// assert_eq!(live.value().item::<f32>(), 5.0);
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn update_or_rerun(&mut self) -> Result<Followed> {
        let outside = self.tape.set_nodes().find(|n| n.kind() == Kind::Constant).map(|n| n.id());
        let from = match self.update() {
            // What the host did with a value that it read is not on the tape.
            Ok(changes) => match self.tape.stale_reads().next() {
                None => return Ok(Followed::Updated(changes)),
                Some(read) => read.id(),
            },
            Err(e) => self.tape.flipped().ok_or(e)?.id(),
        };
        if let Some(id) = outside {
            let m = format!("{id} came from outside the function, and can't be changed for another run of it");
            let place = self.tape.node(id).place();
            return Err(Error::new(ErrorKind::Run, m).at(place).note("make it an argument of the function"));
        }
        let leaves = self.arguments.iter().map(|&a| self.result(a, 0)).collect::<Result<Vec<Array>>>()?;
        // Until the run is over, this one stays.
        let old = self.tape.clone();
        let flat = Flat { leaves, structure: self.structure.clone() };
        let (tape, arguments, out) = run(&self.f, &self.recorder, &self.name, &self.place, flat, Some((old, from)));
        (self.tape, self.arguments, self.out) = (tape, arguments, out);
        Ok(Followed::Reran(from))
    }

    fn result(&self, node: NodeId, out: usize) -> Result<Array> {
        let n = self.tape.node(node);
        n.value(out).map(Array::from_tensor).ok_or_else(|| {
            let m = format!("the value of {node} was cut to a summary: the memory limit of the recorder was reached");
            Error::new(ErrorKind::Run, m).at(n.place()).note("give `Recorder::limit` more bytes")
        })
    }

    /// What the function gives, with all changes that were followed.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let live = Recorder::new().live(|x: Array| x * 2.0, (Array::from(1.0f32),));
    /// assert_eq!(live.value().item::<f32>(), 2.0);
    /// ```
    #[track_caller]
    pub fn value(&self) -> R {
        let root = self.tape.root();
        let arrays = (0..root.result_count()).filter(|&i| root.ty(i).is_some());
        R::unflatten(&self.out, &mut arrays.map(|i| ok(self.result(root.id(), i))))
    }
}
