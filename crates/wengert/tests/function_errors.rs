//! Mistakes in array functions are told in the user's words, at the user's place, and not at one inside the library.

use wengert::*;

/// Each expression fails with a message that has this text, at its own place in this file.
macro_rules! fails {
    ($($expression:expr => $text:literal;)*) => {
        $({
            let error = try_run(|| $expression).err().unwrap_or_else(|| panic!("{} is fine", stringify!($expression)));
            let message = error.message();
            assert!(message.contains($text), "{}: {message}", stringify!($expression));
            let (file, ..) = error.place().parts().unwrap_or_default();
            assert_eq!(file, file!(), "{}: {message}", stringify!($expression));
        })*
    };
}

fn m() -> Array {
    Array::zeros([2, 3], DType::F32)
}

fn v() -> Array {
    Array::zeros([4], DType::F32)
}

fn c() -> Array {
    Array::zeros([2], DType::C64)
}

#[test]
fn axes() {
    fails! {
        m().sum(2) => "axis 2 is out of range";
        m().mean([0, -2]) => "axis -2 is named twice";
        m().var(-3) => "axis -3 is out of range";
        m().norm(1, 5) => "axis 5 is out of range";
        m().logsumexp(2) => "axis 2 is out of range";
        m().softmax(2) => "axis 2 is out of range";
        m().standardize(2, 1e-5) => "axis 2 is out of range";
        m().argmax([0, 1]) => "goes along one axis";
        m().sort(2) => "axis 2 is out of range";
        m().argsort(-3) => "axis -3 is out of range";
        m().cumsum(2) => "axis 2 is out of range";
        m().quantile(0.5, 7) => "axis 7 is out of range";
        m().flip(2) => "axis 2 is out of range";
        m().roll(1, 2) => "axis 2 is out of range";
        m().rot90(1, [0, 0]) => "named twice";
        m().diagonal(0, [1, 1]) => "named twice";
        m().diff(1, 3) => "axis 3 is out of range";
        m().trapezoid(1.0, 3) => "axis 3 is out of range";
        m().transpose([0, 0]) => "named twice";
        m().transpose([0]) => "transpose";
        m().move_axis(0, 2) => "axis 2 is out of range";
        m().swap_axes(0, 2) => "axis 2 is out of range";
        m().squeeze(0) => "its size is not 1";
        m().expand_dims(4) => "axis 4 is out of range";
        m().flatten(1, 0) => "wrong order";
        m().take(Array::from([0]), 2) => "axis 2 is out of range";
        m().repeat(2, 2) => "axis 2 is out of range";
        m().split(2, 5) => "axis 5 is out of range";
        m().fft(2) => "axis 2 is out of range";
        m().rfft(2) => "axis 2 is out of range";
        m().glu(3) => "axis 3 is out of range";
        concatenate([m(), m()], 2) => "axis 2 is out of range";
        stack([m(), m()], 4) => "axis 4 is out of range";
        Array::iota([2], 1, DType::I32) => "axis 1 is out of range";
    }
}

#[test]
fn shapes() {
    fails! {
        m().maximum(v()) => "do not broadcast";
        m().atan2(v()) => "do not broadcast";
        m().hypot(v()) => "do not broadcast";
        m().logaddexp(v()) => "do not broadcast";
        m().modulo(v()) => "do not broadcast";
        m().pow(v()) => "do not broadcast";
        m().clip(v(), 1) => "do not broadcast";
        m().average(v(), 0) => "do not broadcast";
        m().is_close(v(), 0.0, 0.0) => "do not broadcast";
        m().logical_and(v()) => "do not broadcast";
        broadcast_arrays([m(), v()]) => "do not broadcast";
        m().reshape([4, 2]) => "reshape";
        m().reshape([-1, -1]) => "is not a shape";
        m().broadcast_to([2, 4]) => "does not broadcast to";
        Array::zeros([-1], DType::F32) => "can't be negative";
        Array::zeros([usize::MAX / 2, 8], DType::F32) => "too large";
        Array::from_vec([3], vec![1, 2]) => "elements";
        Array::arange(0, 5, 0) => "there is no range";
        m().matmul(m()) => "can't multiply";
        m().dot(v()) => "different sizes";
        m().tensordot(m(), 3) => "can't sum over";
        m().cross(m().t(), 0) => "do not broadcast";
        v().cross(v(), 0) => "needs 3 elements";
        einsum("ij,jk", [m(), m()]) => "has both size";
        einsum("ij,jk", [m()]) => "2 operands are named";
        einsum("i->ij", [v()]) => "in the output";
        einsum("i1->i", [m()]) => "names no axis";
        einsum("ijk", [m()]) => "names 3 axes";
        concatenate([m(), v()], 0) => "concatenate";
        concatenate(Vec::<Array>::new(), 0) => "at least one array";
        stack([m(), v()], 0) => "one shape";
        meshgrid([m(), v()], true) => "takes vectors";
        m().split(2, 1) => "parts of one size";
        m().pad([(1, 1)], 0) => "can't pad";
        Array::zeros([0], DType::F32).pad_mode(1, PadMode::Edge) => "no elements to repeat";
        v().tril(0) => "takes a matrix";
        v().trace() => "takes a matrix";
        Array::zeros([2, 2, 2], DType::F32).diag(0) => "a vector or a matrix";
        Array::zeros([0, 2], DType::F32).max(0) => "no value for no elements";
        Array::zeros([0], DType::F32).argmin(0) => "no value for no elements";
        Array::zeros([0], DType::F32).median(..) => "no value for no elements";
        m().top_k(4) => "top_k";
        m().searchsorted(1.0, false) => "a sorted vector";
        m().interp(&v(), &m()) => "two vectors of one size";
        m().take_along_axis(Array::from([0]), 1) => "can't go along";
        m().convolve(&v(), ConvolveMode::Full) => "two vectors";
        select([v().gt(0)], [v(), v()], 0) => "a choice for each condition";
        nn::cross_entropy(&m(), Array::from([0, 1, 2])) => "do not fit logits";
    }
}

#[test]
fn matrices() {
    fails! {
        m().inv() => "square matrices";
        m().det() => "square matrices";
        m().slogdet() => "square matrices";
        m().cholesky() => "square matrices";
        m().eigh() => "square matrices";
        m().matrix_power(2) => "square matrices";
        m().expm() => "square matrices";
        m().eig() => "square";
        v().svd(false) => "svd";
        v().qr(false) => "qr";
        m().matmul(m().t()).solve(v()) => "can't find x";
        Array::identity(2, DType::F32).solve_triangular(m().t(), true) => "triangular_solve";
        v().matrix_norm(MatrixNorm::One) => "takes a matrix";
        v().pinv(None) => "takes a matrix";
    }
}

#[test]
fn element_types() {
    fails! {
        c().floor() => "floats";
        c().modulo(c()) => "integers and floats";
        c().median(..) => "complex";
        c().argmax(0) => "order";
        c().rfft(0) => "real numbers";
        m() & m() => "integers";
        !m() => "integers";
        m().count_ones() => "integers";
        Array::from([1, 2]).pow(-1) => "negative power";
        Array::full([2], 0.5, DType::I32) => "can't take the element type";
        m().take(v(), 0) => "positions are integers";
        c().bitcast(DType::U32) => "bitcast";
        complex(c(), c()) => "complex";
    }
}

#[test]
fn windows() {
    let x = Array::zeros([1, 2, 5], DType::F32);
    let kernel = Array::zeros([3, 2, 2], DType::F32);
    fails! {
        nn::conv(&x, &m(), nn::Sliding::new()) => "as many axes";
        nn::conv(&x, &kernel, nn::Sliding::new().stride([1, 1])) => "2 strides for 1 spatial axes";
        nn::conv(&x, &kernel, nn::Sliding::new().groups(3)) => "convolution";
        nn::conv_transpose(&x, &m(), nn::Sliding::new()) => "as many axes";
        nn::max_pool(&v(), 2, nn::Sliding::new()) => "max_pool";
        nn::avg_pool(&x, [2, 2], nn::Sliding::new()) => "2 window sizes for 1 spatial axes";
    }
}

#[test]
fn equations_carry_the_place_of_the_call() {
    // Functions made of others write equations at the place where the user called them.
    let program = make_program(
        |x: Array| {
            let a = x.softmax(-1).logsumexp(..) + x.quantile(0.3, 0).median(..) + x.gelu(false).std(..);
            let b = einsum("ij,kj->", [&x, &x]) + x.matmul(x.t()).det() + x.pad_mode(1, PadMode::Wrap).max(..);
            let sorted = x.ravel().sort(0);
            let found = sorted.searchsorted(&x, true).to(DType::F64) + x.interp(&sorted, &sorted);
            let c = found.sum(..) + x.nonzero(9, 0)[0].bincount(4).to(DType::F64).roll(1, 0).sum(..);
            a + b + c
        },
        (Array::ones([3, 3], DType::F64),),
    );
    for e in program.equations() {
        let (file, ..) = e.place.parts().unwrap_or_default();
        assert_eq!(file, file!(), "{}", e.op);
    }
}
