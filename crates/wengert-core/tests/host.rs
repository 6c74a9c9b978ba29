//! Values on the host: what is equal, what is the same, what may be written, and what does not fit into memory.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::catch_unwind;
use wengert_core::{Complex, DType, Element, Scalar, Tensor, Type, bf16, f16};

fn hash(t: &Tensor) -> u64 {
    let mut h = DefaultHasher::new();
    t.hash(&mut h);
    h.finish()
}

fn line<T: Element>(v: &[T]) -> Tensor {
    Tensor::from_slice([v.len()], v).unwrap()
}

/// Checks what equality says of two tensors, both ways, and that equal ones have one hash.
#[track_caller]
fn check(x: &Tensor, y: &Tensor, same_bits: bool, equal: bool) {
    assert_eq!((x.same_bits(y), y.same_bits(x)), (same_bits, same_bits), "{x:?} {y:?}");
    assert_eq!((x == y, y == x), (equal, equal), "{x:?} {y:?}");
    assert!(!equal || hash(x) == hash(y), "{x:?} and {y:?} are equal, and have other hashes");
}

#[test]
fn zeros_of_both_signs_are_two_values() {
    check(&line(&[0.0f32, 1.0]), &line(&[-0.0f32, 1.0]), false, false);
    check(&Tensor::scalar(0.0f64), &Tensor::scalar(-0.0f64), false, false);
    check(&line(&[f16::ZERO; 3]), &line(&[f16::NEG_ZERO; 3]), false, false);
    let c = |re: f32, im: f32| line(&[Complex::new(re, im); 2]);
    check(&c(0.0, 0.0), &c(0.0, -0.0), false, false);
    check(&c(1.0, 0.0), &c(0.0, 1.0), false, false);
}

#[test]
fn nan_is_itself_and_no_other_nan() {
    let (quiet, payload) = (f32::from_bits(0x7fc0_0000), f32::from_bits(0x7fc0_0001));
    check(&line(&[quiet, 1.0]), &line(&[quiet, 1.0]), true, true);
    check(&line(&[quiet, 1.0]), &line(&[payload, 1.0]), false, false);
    check(&line(&[quiet, 1.0]), &line(&[-quiet, 1.0]), false, false);
    check(&Tensor::scalar(f64::NAN), &Tensor::scalar(f64::NAN), true, true);
    check(&Tensor::splat([2], bf16::NAN.scalar()), &Tensor::splat([2], (-bf16::NAN).scalar()), false, false);
    // Bits survive a round trip through scalars, signaling or not.
    let signaling = f64::from_bits(0x7ff0_0000_0000_0001);
    assert_eq!(line(&[signaling, 0.0]).get(0).bits(), u128::from(signaling.to_bits()));
}

#[test]
fn repeated_and_spelled_out_have_the_same_bits_and_are_not_equal() {
    let splat = Tensor::splat([2, 2], Scalar::F32(1.5));
    check(&splat, &splat.dense(), true, false);
    check(&splat, &line(&[1.5f32, 1.5, 1.5, 1.6]).reshaped([2, 2]), false, false);
    check(&splat, &Tensor::splat([4], Scalar::F32(1.5)), false, false);
    check(&splat, &Tensor::splat([2, 2], Scalar::F64(1.5)), false, false);
    // A scalar is both.
    check(&Tensor::scalar(1.5f32), &Tensor::write([], |x: &mut [f32]| x[0] = 1.5), true, true);
    // One element can be either.
    check(&Tensor::splat([1], Scalar::I32(7)), &line(&[7i32]), true, false);
}

#[test]
fn arrays_without_elements_are_equal_whatever_is_repeated() {
    let [zero, one] = [0.0, 1.0].map(|x| Tensor::splat([0, 3], Scalar::F32(x)));
    check(&zero, &one, true, true);
    check(&zero, &zero.dense(), true, false);
    check(&zero.dense(), &Tensor::room(&zero.ty()), true, true);
    check(&zero, &Tensor::splat([3, 0], Scalar::F32(0.0)), false, false);
    assert_eq!(HashSet::from([zero, one]).len(), 1);
}

#[test]
fn arrays_without_elements_can_be_taken_apart_and_written() {
    let mut x = Tensor::room(&Type::new(DType::C128, [2, 0]));
    assert!(x.is_writable() && x.elements_mut::<Complex<f64>>().unwrap().is_empty());
    assert_eq!(x.leading_slice(1).shape()[..], [0]);
    assert_eq!(x.to_vec::<Complex<f64>>().unwrap(), []);
    assert_eq!(x.into_reshaped([0, 7]).dense().stored_bytes(), 0);
    assert_eq!(Tensor::splat([0], Scalar::Bool(true)).to_vec::<bool>().unwrap(), []);
}

#[test]
fn a_slice_past_the_end_is_refused() {
    let x = Tensor::room(&Type::new(DType::F32, [2, 8]));
    let splat = Tensor::splat([2, 8], Scalar::F32(0.0));
    let column = line(&[1, 2, 3]);
    for (x, n) in [(x, 2), (splat, 2), (column, 3), (Tensor::scalar(1), 0)] {
        (0..n).for_each(|i| drop(x.leading_slice(i)));
        assert!(catch_unwind(|| x.leading_slice(n)).is_err(), "{x:?}");
        assert!(catch_unwind(|| x.leading_slice(usize::MAX)).is_err(), "{x:?}");
    }
}

#[test]
fn slices_of_every_type_are_aligned_for_their_elements() {
    for dtype in DType::ALL {
        let x = Tensor::room(&Type::new(dtype, [5, 3]));
        for i in 0..5 {
            let slice = x.leading_slice(i);
            assert_eq!(slice.view().start().align_offset(dtype.size().min(8)), 0, "{dtype}");
            assert_eq!(slice.stored_bytes(), 3 * dtype.size());
            assert!(slice.same_bits(&slice.dense()));
        }
    }
}

#[test]
fn room_that_cannot_be_addressed_or_had_is_refused() {
    for shape in [&[usize::MAX][..], &[1 << 63], &[1 << 62, 4], &[isize::MAX as usize], &[1 << 60]] {
        for dtype in [DType::U8, DType::F64, DType::C128, DType::Bool] {
            let ty = Type::new(dtype, shape);
            assert!(Tensor::try_room(&ty).is_none(), "{ty}");
            assert!(catch_unwind(|| Tensor::room(&ty)).is_err(), "{ty}");
            let splat = Tensor::zeros(&ty);
            assert!(catch_unwind(|| splat.dense()).is_err(), "{ty}");
        }
    }
}

#[test]
fn a_write_is_another_value_and_clones_are_not_written() {
    let mut x = line(&[1.0f64, 2.0, 3.0]);
    let (before, id) = (x.clone(), x.id());
    assert!(x.id() == before.id() && x.same_storage(&before));
    assert!(!x.is_writable() && x.view_mut().is_none() && x.elements_mut::<f64>().is_none());
    assert_eq!(x.id(), id, "nothing was written");
    drop(before);
    x.elements_mut::<f64>().unwrap()[1] = 7.0;
    assert_ne!(x.id(), id);
    assert_eq!(x.elements::<f64>(), [1.0, 7.0, 3.0]);
}

#[test]
fn a_slice_keeps_the_whole_from_being_written() {
    let mut x = line(&[1, 2, 3, 4]).into_reshaped([2, 2]);
    let row = x.leading_slice(1);
    assert!(!x.is_writable());
    drop(row);
    assert!(x.is_writable());
    let mut row = x.leading_slice(1);
    drop(x);
    row.elements_mut::<i32>().unwrap()[0] = 9;
    assert_eq!(row.to_vec::<i32>().unwrap(), [9, 4]);
}

#[test]
fn a_weak_handle_keeps_elements_from_being_written_and_not_alive() {
    let mut x = line(&[1.0f32; 100]);
    let weak = x.weak().unwrap();
    assert!(!x.is_writable());
    assert!(weak.upgrade().is_some());
    drop(x.clone());
    drop(x);
    assert!(weak.upgrade().is_none());
}

#[test]
fn one_element_moves_with_its_handle() {
    let mut x = Tensor::scalar(Complex::new(1.0f64, -2.0));
    let y = x.clone();
    x.elements_mut::<Complex<f64>>().unwrap()[0].re = 5.0;
    // The clone has its own.
    assert_eq!(y.get(0).as_complex().re, 1.0);
    let boxed = Box::new(x);
    let moved = [*boxed, y];
    assert_eq!(moved[0].get(0).as_complex(), Complex::new(5.0, -2.0));
    // A repeated value of one element is spelled out when it is written.
    let mut one = Tensor::splat([1, 1], Scalar::U8(3));
    one.elements_mut::<u8>().unwrap()[0] = 4;
    assert!(!one.is_splat());
    assert_eq!(one.to_vec::<u8>().unwrap(), [4]);
    // What is repeated is not there to be written.
    assert!(Tensor::splat([2], Scalar::U8(3)).view_mut().is_none());
}

#[test]
fn reused_memory_holds_booleans() {
    for _ in 0..4 {
        drop(Tensor::write([4096], |x: &mut [u8]| x.fill(0xff)));
        let room = Tensor::room(&Type::new(DType::Bool, [4096]));
        assert!(room.raw().iter().all(|b| *b <= 1));
    }
}

#[test]
fn arrays_at_one_address_are_two_values() {
    let mut seen = HashSet::new();
    let mut addresses = HashSet::new();
    for i in 0..64 {
        let x = Tensor::new([1 << 12], vec![i; 1 << 12]).unwrap();
        addresses.insert(x.view().start() as usize);
        assert!(seen.insert(x.id()), "an identity is given once");
    }
    assert!(addresses.len() < 64, "the pool hands memory out again");
}
