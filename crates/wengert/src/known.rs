//! What is known of a value by its type's identity alone: values of any type are looked at, also of one that the compiler has still
//! to infer. Nothing here is generic over that type but a few lines: it is there once for each type of each tracked function.

use crate::array::Array;
use crate::call_values::short_type;
use crate::tape::LimitedText;
use rustc_hash::FxHashMap;
use std::any::{TypeId, type_name};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::sync::LazyLock;
use wengert_tape::record::{self, HostValue};
use wengert_tape::{HostNumber, HostType};

/// A type by its identity, whatever its lifetimes.
pub(crate) fn type_id<T: ?Sized>() -> TypeId {
    trait Id {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Id for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let phantom = PhantomData::<T>;
    // SAFETY: the value has no content, and `id` looks only at the type. Types that differ in lifetimes get one id.
    let phantom: &(dyn Id + 'static) = unsafe { std::mem::transmute::<&dyn Id, &(dyn Id + 'static)>(&phantom) };
    phantom.id()
}

/// A value of some type.
#[derive(Clone, Copy)]
pub(crate) struct AnyValue<'a> {
    id: TypeId,
    at: *const (),
    type_name: &'static str,
    life: PhantomData<&'a ()>,
}

/// How a value of a well-known type is read. Each function is called with the address of a value of its type alone, which need not be
/// aligned for numbers.
#[derive(Clone, Copy)]
enum Read {
    Array(fn(*const ()) -> *const Array),
    Number(fn(*const ()) -> HostNumber),
    /// A number of more than 64 bits as a text, and the name of its type.
    Wide(fn(*const ()) -> String, &'static str),
    Text(fn(*const ()) -> String),
    /// It is not shown.
    Nothing,
}

/// What is at an address that a [`Read`] is called with; the address need not be aligned.
fn copied<U: Copy>(p: *const ()) -> U {
    // SAFETY: a value of this type is there.
    unsafe { p.cast::<U>().read_unaligned() }
}

/// The same where it is aligned.
fn borrowed<'a, U>(p: *const ()) -> &'a U {
    // SAFETY: a value of this type is there, for as long as who asks for it borrows it.
    unsafe { &*p.cast::<U>() }
}

#[derive(Clone, Copy)]
struct Known {
    read: Read,
    /// Whether it is a reference to what is read.
    refers: bool,
    /// Whether values have borrowed nothing that could be changed through them.
    borrows_nothing: bool,
}

static TABLE: LazyLock<Table> = LazyLock::new(Table::new);

#[derive(Default)]
struct Table(FxHashMap<TypeId, Known>);

impl Table {
    fn new() -> Table {
        let mut all = Table::default();
        macro_rules! numbers {
            ($($t:ty)*) => {$( all.number::<$t>(); )*};
        }
        numbers!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 char);
        all.wide::<i128>("i128");
        all.wide::<u128>("u128");
        all.own::<HostNumber>(Read::Number(copied));
        all.own::<Array>(Read::Array(|p| p.cast()));
        all.referred::<Array>(Read::Array(copied));
        all.text::<()>();
        all.text::<String>();
        all.text::<std::cmp::Ordering>();
        all.own::<&'static str>(Read::Text(|p| LimitedText::debug(*borrowed::<&str>(p))));
        all.lists::<String>();
        all.own::<&'static String>(Read::Nothing);
        all.own::<Vec<Array>>(Read::Nothing);
        all.own::<Option<Array>>(Read::Nothing);
        all.slices::<Array>();
        all
    }

    fn add<U: 'static>(&mut self, read: Read, refers: bool, borrows_nothing: bool) {
        self.0.insert(TypeId::of::<U>(), Known { read, refers, borrows_nothing });
    }

    fn own<U: 'static>(&mut self, read: Read) {
        self.add::<U>(read, false, true);
    }

    /// References to values of this type, which are read so.
    fn referred<U: 'static>(&mut self, read: Read) {
        self.add::<&'static U>(read, true, true);
        self.add::<&'static mut U>(read, true, false);
    }

    fn number<U: Copy + Into<HostNumber> + Debug + 'static>(&mut self) {
        self.own::<U>(Read::Number(|p| copied::<U>(p).into()));
        self.referred::<U>(Read::Number(|p| (**borrowed::<&U>(p)).into()));
        self.lists::<U>();
    }

    fn wide<U: Copy + ToString + Debug + 'static>(&mut self, name: &'static str) {
        self.own::<U>(Read::Wide(|p| copied::<U>(p).to_string(), name));
        self.referred::<U>(Read::Wide(|p| borrowed::<&U>(p).to_string(), name));
        self.lists::<U>();
    }

    fn lists<U: Debug + 'static>(&mut self) {
        self.text::<Vec<U>>();
        self.text::<Option<U>>();
        self.text::<std::ops::Range<U>>();
        self.slices::<U>();
    }

    fn slices<U: 'static>(&mut self) {
        self.own::<&'static [U]>(Read::Nothing);
        self.own::<Option<&'static U>>(Read::Nothing);
    }

    fn text<U: Debug + 'static>(&mut self) {
        self.own::<U>(Read::Text(|p| LimitedText::debug(borrowed::<U>(p))));
    }
}

impl<'a> AnyValue<'a> {
    pub(crate) fn new<T: ?Sized>(x: &'a T) -> AnyValue<'a> {
        // SAFETY: a reference to a value of this type, for as long as is said.
        unsafe { AnyValue::at(x) }
    }

    /// The value at an address.
    ///
    /// # Safety
    /// A value of this type is there for as long as the lifetime says. Where it need not be aligned, no more than
    /// [`own_number`](Self::own_number) is asked for.
    pub(crate) unsafe fn at<T: ?Sized>(place: *const T) -> AnyValue<'a> {
        AnyValue { id: type_id::<T>(), at: place.cast(), type_name: type_name::<T>(), life: PhantomData }
    }

    fn known(self) -> Option<Known> {
        TABLE.0.get(&self.id).copied()
    }

    /// An array, or a reference to one.
    pub(crate) fn array(self) -> Option<&'a Array> {
        match self.known()?.read {
            // SAFETY: the value is an array, or a reference to one of a lifetime that is at least that of the borrow.
            Read::Array(read) => Some(unsafe { &*read(self.at) }),
            _ => None,
        }
    }

    /// A number of the host, or a reference to one.
    pub(crate) fn number(self) -> Option<HostNumber> {
        match self.known()?.read {
            Read::Number(read) => Some(read(self.at)),
            _ => None,
        }
    }

    /// A number of any size, and no reference to one, as a tape keeps it: what has more than 64 bits is a text.
    pub(crate) fn own_number(self) -> Option<HostValue<'static, Array>> {
        match self.known()? {
            Known { refers: true, .. } => None,
            Known { read: Read::Number(read), .. } => Some(HostValue::Number(read(self.at))),
            Known { read: Read::Wide(read, ty), .. } => {
                Some(HostValue::Text { text: read(self.at).into(), ty: ty.into() })
            }
            _ => None,
        }
    }

    /// As a tape keeps it, and whether it has borrowed nothing that could be changed through it, as far as that is known of its type.
    pub(crate) fn host_value(self) -> (HostValue<'a, Array>, bool) {
        let known = self.known();
        let text = match known.map(|k| k.read) {
            // SAFETY: see `array`.
            Some(Read::Array(read)) => Err(HostValue::Array(unsafe { &*read(self.at) })),
            Some(Read::Number(read)) => Err(HostValue::Number(read(self.at))),
            Some(Read::Wide(read, ty)) => Err(HostValue::Text { text: read(self.at).into(), ty: ty.into() }),
            Some(Read::Text(read)) => Ok(read(self.at).into()),
            Some(Read::Nothing) | None => Ok(record::UNSHOWN.into()),
        };
        let value = text.map_or_else(|v| v, |text| HostValue::Text { text, ty: self.type_name().into() });
        (value, known.is_some_and(|k| k.borrows_nothing))
    }

    /// Whether it has borrowed nothing that could be changed through it, as far as that is known of its type.
    pub(crate) fn borrows_nothing(self) -> bool {
        self.known().is_some_and(|k| k.borrows_nothing)
    }

    /// What a value that is neither a number nor an array is shown as, if it is known how.
    pub(crate) fn text(self) -> Option<String> {
        match self.known()?.read {
            Read::Wide(read, _) | Read::Text(read) => Some(read(self.at)),
            _ => None,
        }
    }

    /// The name of its type, without paths.
    pub(crate) fn type_name(self) -> String {
        short_type(self.type_name)
    }
}

/// A number of the host, or a reference to one.
pub(crate) fn number_of<T: ?Sized>(x: &T) -> Option<HostNumber> {
    AnyValue::new(x).number()
}

/// A value of one type as one of another, if these are the same.
pub(crate) fn as_type<T, U: 'static>(x: U) -> Option<T> {
    let same = type_id::<T>() == TypeId::of::<U>();
    // SAFETY: `U` has no lifetimes, so a type with its identity is `U` itself; the value is moved.
    same.then(|| unsafe { std::mem::transmute_copy(&*ManuallyDrop::new(x)) })
}

/// A number as this type, if it is of it.
pub(crate) fn from_number<T>(x: HostNumber) -> Option<T> {
    if type_id::<T>() != type_of(x.ty) {
        return None;
    }
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: there is room for a number of this type.
    let is_there = unsafe { write_number(x, value.as_mut_ptr().cast()) };
    // SAFETY: it was written.
    is_there.then(|| unsafe { value.assume_init() })
}

macro_rules! number_types {
    ($($t:ty, $v:ident => $x:expr;)*) => {
        fn type_of(ty: HostType) -> TypeId {
            match ty {
                $(HostType::$v => TypeId::of::<$t>(),)*
            }
        }

        /// Writes a number; whether it is one of its type.
        ///
        /// # Safety
        /// There is room for a value of the number's type.
        unsafe fn write_number(x: HostNumber, to: *mut ()) -> bool {
            match x.ty {
                $(HostType::$v => {
                    let make: fn(u64) -> Option<$t> = $x;
                    let made = make(x.bits);
                    // SAFETY: as is asked for.
                    made.map(|made| unsafe { to.cast::<$t>().write(made) }).is_some()
                })*
            }
        }
    };
}
number_types! {
    bool, Bool => |b| Some(b != 0);
    i8, I8 => |b| Some(b as i8);
    i16, I16 => |b| Some(b as i16);
    i32, I32 => |b| Some(b as i32);
    i64, I64 => |b| Some(b as i64);
    isize, Isize => |b| Some(b as isize);
    u8, U8 => |b| Some(b as u8);
    u16, U16 => |b| Some(b as u16);
    u32, U32 => |b| Some(b as u32);
    u64, U64 => Some;
    usize, Usize => |b| Some(b as usize);
    f32, F32 => |b| Some(f32::from_bits(b as u32));
    f64, F64 => |b| Some(f64::from_bits(b));
    char, Char => |b| char::from_u32(b as u32);
}
