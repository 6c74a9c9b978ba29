//! What is nested under what: transforms (with the programs they made), our own functions (D3), recordings in recordings.

use super::{find, run_again, shown, values};
use wengert::tape::Kind;
use wengert::{
    Array, DType, Node, checkpoint, custom_jvp, custom_vjp, einsum, hessian, hvp, jacfwd, jacrev, jvp, linearize, nn,
    random, record, value_and_grad, vjp,
};
use wengert_testing::expect;

fn square(x: Array) -> Array {
    &x * &x
}

fn sum_of_squares(x: Array) -> Array {
    square(x).sum(..)
}

#[test]
fn transforms_show_the_run_and_the_programs_they_made() {
    let here = line!();
    fn square(x: Array) -> Array {
        &x * &x
    }
    let x = Array::from(3.0f32);
    let (_, tape) = values().record(|| {
        let forward = jvp(square, (x.clone(),), (Array::from(1.0f32),)).1;
        let (y, pull) = vjp(square, (x.clone(),));
        let (_, linear) = linearize(square, (x.clone(),));
        forward + pull.pull(y).0 + linear.apply((Array::from(2.0f32),))
    });
    expect![[r#"
        @0 [+5:30] record() = 72 : f32[]
          @1 [+6:23] constant = 3 : f32[]
          @2 [+6:23] constant = 1 : f32[]
          @3 [+6:23] jvp all::tape::inner_nodes::transforms_show_the_run_and_the_programs_they_made::square(@1, @2) = 9 : f32[] · = 6 : f32[]
            @4 [+6:23] all::tape::inner_nodes::transforms_show_the_run_and_the_programs_they_made::square(@1) = 9 : f32[]
              @5 [+6:23] arg0 = @1 = 3 : f32[]
              @6 [+2:9] mul(@5, @5) = 9 : f32[]
              @7 [+6:23] return @6
            @8 [+6:23] value and tangent(@1, @2, @4) = 9 : f32[] · = 6 : f32[]
              @9 arg0 = argument : f32[]
              @10 arg0.t = argument : f32[]
              @11 argument : f32[]
              @12 [+2:9] mul(@10, @9) : f32[]
              @13 [+2:9] mul(@9, @10) : f32[]
              @14 [+2:9] add(@12, @13) : f32[]
              @15 return @11, @14
            @16 [+6:23] return @8.0, @8.1
          @17 [+7:25] vjp all::tape::inner_nodes::transforms_show_the_run_and_the_programs_they_made::square(@1) = 9 : f32[] · = 3 : f32[]
            @18 [+7:25] all::tape::inner_nodes::transforms_show_the_run_and_the_programs_they_made::square(@1) = 9 : f32[]
              @19 [+7:25] arg0 = @1 = 3 : f32[]
              @20 [+2:9] mul(@19, @19) = 9 : f32[]
              @21 [+7:25] return @20
            @22 [+7:25] forward(@1, @18) = 9 : f32[]
              @23 arg0 = argument : f32[]
              @24 argument : f32[]
              @25 return @24
            @26 [+7:25] return @22, @1
          @27 [+8:27] linearize all::tape::inner_nodes::transforms_show_the_run_and_the_programs_they_made::square(@1) = 9 : f32[] · = 3 : f32[]
            @28 [+8:27] all::tape::inner_nodes::transforms_show_the_run_and_the_programs_they_made::square(@1) = 9 : f32[]
              @29 [+8:27] arg0 = @1 = 3 : f32[]
              @30 [+2:9] mul(@29, @29) = 9 : f32[]
              @31 [+8:27] return @30
            @32 [+8:27] forward(@1, @28) = 9 : f32[]
              @33 arg0 = argument : f32[]
              @34 argument : f32[]
              @35 return @34
            @36 [+8:27] return @32, @1
          @37 [+9:24] pull all::tape::inner_nodes::transforms_show_the_run_and_the_programs_they_made::square(@17.0) = 54 : f32[]
            @38 [+9:24] backward all::tape::inner_nodes::transforms_show_the_run_and_the_programs_they_made::square(@1, @17.0) = 54 : f32[]
              @39 arg0 = argument : f32[]
              @40 argument : f32[]
              @41 [+2:9] mul(@39, @40) : f32[]
              @42 [+2:9] mul(@40, @39) : f32[]
              @43 [+2:9] add(@41, @42) : f32[]
              @44 return @43
            @45 [+9:24] return @38
          @46 [+9:9] add(@3.1, @37) = 60 : f32[]
          @47 [+9:43] constant = 2 : f32[]
          @48 [+9:43] apply all::tape::inner_nodes::transforms_show_the_run_and_the_programs_they_made::square(@47) = 12 : f32[]
            @49 [+9:43] linear part of all::tape::inner_nodes::transforms_show_the_run_and_the_programs_they_made::square(@1, @47) = 12 : f32[]
              @50 arg0 = argument : f32[]
              @51 arg0.t = argument : f32[]
              @52 [+2:9] mul(@51, @50) : f32[]
              @53 [+2:9] mul(@50, @51) : f32[]
              @54 [+2:9] add(@52, @53) : f32[]
              @55 return @54
            @56 [+9:43] return @49
          @57 [+9:9] add(@46, @48) = 72 : f32[]
          @58 [+5:30] return @57
    "#]]
    .assert_eq(&shown(here, &tape));
    assert_eq!(run_again(&tape), [tape.root().value(0).unwrap()]);
}

/// The only call at the top of a recording, which has the result.
fn only_call<'t>(tape: &'t wengert::Tape, what: &str) -> Node<'t> {
    let calls: Vec<Node<'_>> = tape.root().children().filter(|n| n.kind() == Kind::Call).collect();
    assert_eq!(calls.len(), 1, "{what}: {tape}");
    let last = tape.root().children().last().unwrap();
    assert!(last.referenced().all(|n| n == calls[0]), "{what}: {tape}");
    calls[0]
}

#[test]
fn every_transform_is_one_call() {
    let x = Array::from([1.0f32, 2.0]);
    let doubled = |x: Array| x * 2.0;
    type Case<'a> = (&'a str, &'a [&'a str], &'a dyn Fn() -> Array);
    let cases: [Case<'_>; 8] = [
        ("jacfwd", &["forward", "vmap"], &|| jacfwd(square)(x.clone())),
        ("jacrev", &["forward", "vmap"], &|| jacrev(square)(x.clone())),
        ("hessian", &["jacrev", "forward", "vmap"], &|| hessian(sum_of_squares)(x.clone())),
        ("hvp", &["grad", "value and tangent"], &|| hvp(sum_of_squares, x.clone(), x.clone())),
        ("value_and_grad", &["value and gradient"], &|| value_and_grad(sum_of_squares)(x.clone()).1),
        ("checkpoint", &["square", "call"], &|| checkpoint(square)(x.clone())),
        ("custom_jvp", &["custom_jvp"], &|| {
            custom_jvp(square, |(x,): (Array,), (t,): (Array,)| (square(x.clone()), doubled(x) * t))(x.clone())
        }),
        ("custom_vjp", &["custom_vjp"], &|| {
            let forward = |(x,): (Array,)| (square(x.clone()), x);
            custom_vjp(square, forward, |x: Array, ct: Array| (doubled(x) * ct,))(x.clone())
        }),
    ];
    for (name, inside, f) in cases {
        let (_, tape) = record(f);
        let call = only_call(&tape, name);
        assert!(call.function().starts_with(&format!("{name} ")), "{name}: {tape}");
        for part in inside {
            assert!(call.descendants().any(|n| n.function().contains(part)), "{name} has no {part}: {tape}");
        }
    }
}

#[test]
fn d3_our_own_functions_show_what_they_run() {
    let x = Array::from([[2.0f32, 1.0], [1.0, 3.0]]);
    let (v, i, key) = (Array::from([1.0f32, 2.0, 4.0]), Array::from([0, 2, 1]), random::key(7));
    let (image, kernel) = (v.reshape([1, 1, 3]), v.reshape([1, 1, 3]));
    type Case<'a> = (&'a str, &'a dyn Fn() -> Array);
    let cases: &[Case<'_>] = &[
        ("softmax", &|| x.softmax(-1)),
        ("log_softmax", &|| x.log_softmax(-1)),
        ("logsumexp", &|| x.logsumexp(..)),
        ("layer_norm", &|| x.layer_norm(2.0, &x, 1e-5)),
        ("gelu", &|| x.gelu(true)),
        ("relu", &|| x.relu()),
        ("attention", &|| nn::attention(&x, &x, &x, None)),
        ("conv", &|| nn::conv(&image, &kernel, nn::Sliding::new())),
        ("avg_pool", &|| nn::avg_pool(&image, 2, nn::Sliding::new())),
        ("cross_entropy", &|| nn::cross_entropy(&x, Array::from([0, 1]))),
        ("mse", &|| nn::mse(&x, 1.0)),
        ("dropout", &|| nn::dropout(&key, &x, 0.5)),
        ("solve", &|| x.solve(&x)),
        ("inv", &|| x.inv()),
        ("det", &|| x.det()),
        ("slogdet", &|| x.slogdet().1),
        ("pinv", &|| x.pinv(None)),
        ("lstsq", &|| x.lstsq(&x, None)),
        ("cholesky", &|| x.cholesky()),
        ("eigh", &|| x.eigh().0),
        ("expm", &|| x.expm()),
        ("matrix_power", &|| x.matrix_power(5)),
        ("einsum", &|| einsum("ij,jk->ik", [&x, &x])),
        ("mean", &|| x.mean(..)),
        ("var", &|| x.var(0)),
        ("std", &|| x.std(0)),
        ("norm", &|| v.norm(2, ..)),
        ("median", &|| v.median(..)),
        ("cov", &|| x.cov()),
        ("interp", &|| v.interp(&v, &v)),
        ("searchsorted", &|| v.searchsorted(1.5, false)),
        ("histogram", &|| v.histogram(2, 0.0, 5.0).0),
        ("bincount", &|| i.bincount(3)),
        ("trace", &|| x.trace()),
        ("random::normal", &|| random::normal(&key, [3], DType::F32)),
        ("random::uniform", &|| random::uniform(&key, [3], DType::F32)),
        ("random::randint", &|| random::randint(&key, [3], 0, 9, DType::I32)),
        ("random::bernoulli", &|| random::bernoulli(&key, 0.5, [3])),
        ("random::gamma", &|| random::gamma(&key, 2.0, [3], DType::F32)),
        ("random::categorical", &|| random::categorical(&key, &v, -1, [4])),
        ("random::permutation", &|| random::permutation(&key, 5)),
        ("random::split", &|| key.split(1)[0].data().clone()),
        ("random::fold_in", &|| key.fold_in(3u32).data().clone()),
    ];
    for (name, f) in cases {
        let (y, tape) = values().record(f);
        let call = only_call(&tape, name);
        assert_eq!(call.function(), *name, "{tape}");
        assert!(call.children().any(|n| n.op().is_some() || n.has_children()), "{name}: {tape}");
        // Everything has the user's place, and the result is that of the call.
        let ran = |n: &Node<'_>| !n.ancestors().any(|a| a.is_abstract());
        let ours = |n: &Node<'_>| n.place().parts().is_some_and(|(f, ..)| f != file!());
        assert_eq!(tape.nodes().filter(ran).find(ours), None, "{name}");
        assert_eq!(y.to_tensor(), f().to_tensor(), "{name}");
        assert_eq!(run_again(&tape), [y.to_tensor()], "{name}");
    }
}

#[test]
fn d3_a_call_says_what_it_was_given() {
    let here = line!();
    let key = random::key(3);
    let (_, tape) = record(|| {
        let x = random::uniform_between(&key, [2, 2], -1.0, 1.0, DType::F32);
        x.layer_norm(2.0, 0.5, 1e-5).var(-1)
    });
    expect![[r#"
        @0 [+2:21] record() : f32[2]
          @1 [+3:17] constant : u32[2]
          @2 [+3:17] random::uniform_between(@1, ⟨-1.0⟩, ⟨1.0⟩, ⟨F32⟩) : f32[2,2]
            @3 [+3:17] key.data = @1 : u32[2]
            @4 [+3:17] iota[ty=u32[4], dim=0]() : u32[4]
            @5 [+3:17] reshape[shape=[2, 2]](@4) : u32[2,2]
            @6 [+3:17] slice[start=[0], limit=[1], strides=[1]](@3) : u32[1]
            @7 [+3:17] reshape[shape=[]](@6) : u32[]
            @8 [+3:17] slice[start=[1], limit=[2], strides=[1]](@3) : u32[1]
            @9 [+3:17] reshape[shape=[]](@8) : u32[]
            @10 [+3:17] broadcast[shape=[2, 2], dims=[]](@7) : u32[2,2]
            @11 [+3:17] broadcast[shape=[2, 2], dims=[]](@9) : u32[2,2]
            @12 [+3:17] threefry2x32(@10, @11, ⟨0 : u32[2,2]⟩, @5) : u32[2,2] · : u32[2,2]
            @13 [+3:17] xor(@12.0, @12.1) : u32[2,2]
            @14 [+3:17] shift_right_logical(@13, ⟨9 : u32[2,2]⟩) : u32[2,2]
            @15 [+3:17] or(@14, ⟨1065353216 : u32[2,2]⟩) : u32[2,2]
            @16 [+3:17] bitcast[dtype=f32](@15) : f32[2,2]
            @17 [+3:17] sub(@16, ⟨1 : f32[2,2]⟩) : f32[2,2]
            @18 [+3:17] sub(⟨1⟩, ⟨-1⟩) : f32[]
            @19 [+3:17] broadcast[shape=[2, 2], dims=[]](@18) : f32[2,2]
            @20 [+3:17] mul(@17, @19) : f32[2,2]
            @21 [+3:17] add(@20, ⟨-1 : f32[2,2]⟩) : f32[2,2]
            @22 [+3:17] max(@21, ⟨-1 : f32[2,2]⟩) : f32[2,2]
            @23 [+3:17] return @22
          @24 [+4:11] layer_norm(@2, ⟨2.0⟩, ⟨0.5⟩, ⟨0.00001⟩) : f32[2,2]
            @25 [+4:11] self = @2 : f32[2,2]
            @26 [+4:11] standardize(@25, ⟨-1⟩, ⟨0.00001⟩) : f32[2,2]
              @27 [+4:11] self = @25 : f32[2,2]
              @28 [+4:11] mean(@27, ⟨keep(-1)⟩) : f32[2,1]
                @29 [+4:11] self = @27 : f32[2,2]
                @30 [+4:11] reduce[combiner=add, dims=[1]](@29) : f32[2]
                @31 [+4:11] reshape[shape=[2, 1]](@30) : f32[2,1]
                @32 [+4:11] div(@31, ⟨2 : f32[2,1]⟩) : f32[2,1]
                @33 [+4:11] return @32
              @34 [+4:11] broadcast[shape=[2, 2], dims=[0, 1]](@28) : f32[2,2]
              @35 [+4:11] sub(@27, @34) : f32[2,2]
              @36 [+4:11] mul(@35, @35) : f32[2,2]
              @37 [+4:11] mean(@36, ⟨keep(-1)⟩) : f32[2,1]
                @38 [+4:11] self = @36 : f32[2,2]
                @39 [+4:11] reduce[combiner=add, dims=[1]](@38) : f32[2]
                @40 [+4:11] reshape[shape=[2, 1]](@39) : f32[2,1]
                @41 [+4:11] div(@40, ⟨2 : f32[2,1]⟩) : f32[2,1]
                @42 [+4:11] return @41
              @43 [+4:11] add(@37, ⟨1e-5 : f32[2,1]⟩) : f32[2,1]
              @44 [+4:11] rsqrt(@43) : f32[2,1]
              @45 [+4:11] broadcast[shape=[2, 2], dims=[0, 1]](@44) : f32[2,2]
              @46 [+4:11] mul(@35, @45) : f32[2,2]
              @47 [+4:11] return @46
            @48 [+4:11] mul(@26, ⟨2 : f32[2,2]⟩) : f32[2,2]
            @49 [+4:11] add(@48, ⟨0.5 : f32[2,2]⟩) : f32[2,2]
            @50 [+4:11] return @49
          @51 [+4:38] var(@24, ⟨-1⟩) : f32[2]
            @52 [+4:38] self = @24 : f32[2,2]
            @53 [+4:38] var_ddof(@52, ⟨-1⟩, ⟨0⟩) : f32[2]
              @54 [+4:38] self = @52 : f32[2,2]
              @55 [+4:38] mean(@54, ⟨keep(-1)⟩) : f32[2,1]
                @56 [+4:38] self = @54 : f32[2,2]
                @57 [+4:38] reduce[combiner=add, dims=[1]](@56) : f32[2]
                @58 [+4:38] reshape[shape=[2, 1]](@57) : f32[2,1]
                @59 [+4:38] div(@58, ⟨2 : f32[2,1]⟩) : f32[2,1]
                @60 [+4:38] return @59
              @61 [+4:38] broadcast[shape=[2, 2], dims=[0, 1]](@55) : f32[2,2]
              @62 [+4:38] sub(@54, @61) : f32[2,2]
              @63 [+4:38] mul(@62, @62) : f32[2,2]
              @64 [+4:38] reduce[combiner=add, dims=[1]](@63) : f32[2]
              @65 [+4:38] div(@64, ⟨2 : f32[2]⟩) : f32[2]
              @66 [+4:38] return @65
            @67 [+4:38] return @53
          @68 [+2:21] return @51
    "#]]
    .assert_eq(&shown(here, &tape));
}

#[test]
fn a_recording_inside_another_is_a_call_of_it() {
    let here = line!();
    let (w, mut kept) = (Array::from([3.0f32, 4.0]), None);
    let (y, outer) = values().record(|| {
        let x = (Array::from([1.0f32, 2.0]) * &w).named("x");
        let (y, inner) = values().record(|| {
            let (z, _) = values().record(|| x.sin() * &w);
            z.cos()
        });
        kept = Some(inner);
        y.exp() + x
    });
    assert_eq!(y.size(), 2);
    let inner = kept.unwrap().to_string();
    assert!(inner.contains("cos") && !inner.contains("exp"));
    expect![[r#"
        @0 [+2:31] record() = [5.4885836, 8.503961] : f32[2]
          @1 [+3:17] constant = [1, 2] : f32[2]
          @2 [+3:17] constant = [3, 4] : f32[2]
          @3 [+3:17] x = mul(@1, @2) = [3, 8] : f32[2]
          @4 [+4:35] record(@3, @2) = [0.9117137, -0.6852566] : f32[2]
            @5 [+5:35] record() = [0.42336, 3.957433] : f32[2]
              @6 [+5:47] @3 = [3, 8] : f32[2]
              @7 [+5:47] sin(@6) = [0.14112, 0.98935825] : f32[2]
              @8 [+5:45] @2 = [3, 4] : f32[2]
              @9 [+5:45] mul(@7, @8) = [0.42336, 3.957433] : f32[2]
              @10 [+5:35] return @9
            @11 [+6:15] cos(@5) = [0.9117137, -0.6852566] : f32[2]
            @12 [+4:35] return @11
          @13 [+9:11] exp(@4) = [2.4885836, 0.5039609] : f32[2]
          @14 [+9:9] add(@13, @3) = [5.4885836, 8.503961] : f32[2]
          @15 [+2:31] return @14
    "#]]
    .assert_eq(&shown(here, &outer));
    // The data goes through: all that the result depends on, and the run again.
    let result = find(&outer, "exp");
    assert_eq!(outer.to_program().unwrap().inputs().len(), 2);
    assert_eq!(run_again(&outer), [y.to_tensor()]);
    assert!(result.backward().any(|n| n.name() == Some("x")));
    let mut outer = outer;
    outer.set(1, Array::from([0.5f32, 0.25]).to_tensor()).unwrap();
    outer.update(&wengert::Device::cpu()).unwrap();
    let x = Array::from([0.5f32, 0.25]) * &w;
    assert_eq!(outer.root().value(0).unwrap(), ((x.sin() * &w).cos().exp() + &x).to_tensor());
}

#[test]
fn what_an_inner_recording_gives_is_known_even_where_its_inside_is_not_wanted() {
    let context = wengert::tape::DepthLimit(1);
    let (_, tape) = values().context(context).record(|| record(|| Array::from([1.0f32, 2.0]).sin()).0.cos());
    let cos = find(&tape, "cos");
    assert_eq!(cos.referenced().next().unwrap().function(), "record");
    assert!(!tape.nodes().any(|n| n.function() == "sin"));
}

#[test]
fn a_mistake_in_an_inner_recording_is_on_the_outer_one_too() {
    let (_, tape) = record(|| {
        let wrong = || Array::from([1.0f32, 2.0]).sin() + Array::from([1.0f32, 2.0, 3.0]);
        let (result, _) = wengert::Recorder::new().try_record(wrong);
        Array::from(if result.is_err() { 1.0f32 } else { 0.0 })
    });
    let call = tape.nodes().find(|n| n.function() == "record" && n.parent().is_some()).unwrap();
    assert!(call.text(0).unwrap().contains("do not broadcast"), "{tape}");
    assert!(call.children().any(|n| n.function() == "sin"));
}
