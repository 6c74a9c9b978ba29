//! One vertical slice: text, transforms, evaluation.
use wengert_core::transform::{batch, jvp, vjp};
use wengert_core::{Program, Tensor};
use wengert_eval::run;

const SCAN: &str = "program f(w: f32[2,2], h0: f32[2], xs: f32[3,2]) {
  h: f32[2], ys: f32[3] = scan[length=3, consts=1, carries=1, reverse=false, body=program (w: f32[2,2], h: f32[2], x: f32[2]) {
    %3: f32[2] = dot_general[contract=([1], [0]), batch=([], [])](w, h)
    %4: f32[2] = add(%3, x)
    %5: f32[2] = tanh(%4)
    %6: f32[] = reduce[combiner=add, dims=[0]](%5)
    return %5, %6
  }](w, h0, xs)
  %5: f32[] = reduce[combiner=add, dims=[0]](ys)
  %6: f32[] = reduce[combiner=max, dims=[0]](h)
  %8: f32[] = mul(%6, 3.0:f32[])
  %9: f32[] = add(%5, %8)
  return %9
}
";

#[test]
fn slice() {
    let p = Program::parse(SCAN).unwrap();
    println!("{p}");
    assert_eq!(Program::parse(&p.to_text()).unwrap(), p);
    let w = Tensor::new([2, 2], vec![0.5f32, -0.3, 0.2, 0.7]).unwrap();
    let h = Tensor::new([2], vec![0.1f32, -0.2]).unwrap();
    let xs = Tensor::new([3, 2], vec![0.5f32, -0.3, 0.2, 0.7, 0.3, 0.1]).unwrap();
    let y = run(&p, vec![w.clone(), h.clone(), xs.clone()]).unwrap();
    let v = vjp(&p, &[true, true, true]).unwrap();
    println!("{v}");
    assert_eq!(Program::parse(&v.to_text()).unwrap().to_text(), v.to_text());
    let g = run(&v, vec![w.clone(), h.clone(), xs.clone(), Tensor::scalar(1f32)]).unwrap();
    let (j, _) = jvp(&p, &[true, false, false]).unwrap();
    println!("{j}");
    let t = Tensor::new([2, 2], vec![1f32, 2., 3., 4.]).unwrap();
    let jv = run(&j, vec![w.clone(), h.clone(), xs.clone(), t]).unwrap();
    let gw = g[1].to_vec::<f32>().unwrap();
    let dot = gw[0] + 2. * gw[1] + 3. * gw[2] + 4. * gw[3];
    println!("{y:?} {jv:?} {dot}");
    assert!((jv[1].get(0).as_f64().unwrap() - dot as f64).abs() < 1e-5);
    let eps = 1e-2;
    let bump = |s: f32| Tensor::new([2, 2], vec![0.5 + s, -0.3 + 2. * s, 0.2 + 3. * s, 0.7 + 4. * s]).unwrap();
    let hi = run(&p, vec![bump(eps), h.clone(), xs.clone()]).unwrap()[0].get(0).as_f64().unwrap();
    let lo = run(&p, vec![bump(-eps), h.clone(), xs.clone()]).unwrap()[0].get(0).as_f64().unwrap();
    println!("{}", (hi - lo) / 2e-2);
    let (b, _) = batch(&v, 2, None, &[false, true, false, false], &[true; 4]).unwrap();
    println!("{b}");
    let hb = Tensor::new([2, 2], vec![0.1f32, -0.2, 0.1, -0.2]).unwrap();
    let gb = run(&b, vec![w, hb, xs, Tensor::scalar(1f32)]).unwrap();
    println!("{:?} {:?}", g, gb);
    // second order
    let vv = vjp(&v, &[true, false, false, false]).unwrap();
    println!("{}", vv.equation_count());
}
