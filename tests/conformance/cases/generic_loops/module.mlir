"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x3xf32>, tensor<4x3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>, tensor<3x3xf32>), res_attrs = [{jax.result_info = "result[0][0]"}, {jax.result_info = "result[0][1]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg7: tensor<3x3xf32>, %arg8: tensor<4x3xf32>):
    %8 = "stablehlo.slice"(%arg8) <{limit_indices = array<i64: 1, 3>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<4x3xf32>) -> tensor<1x3xf32>
    %9 = "stablehlo.reshape"(%8) : (tensor<1x3xf32>) -> tensor<3xf32>
    %10 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3xf32>
    %12 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %13:4 = "stablehlo.while"(%arg7, %12, %9, %11) ({
    ^bb0(%arg15: tensor<3x3xf32>, %arg16: tensor<i32>, %arg17: tensor<3xf32>, %arg18: tensor<3x3xf32>):
      %28 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %29 = "stablehlo.compare"(%arg16, %28) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%29) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg11: tensor<3x3xf32>, %arg12: tensor<i32>, %arg13: tensor<3xf32>, %arg14: tensor<3x3xf32>):
      %23 = "func.call"(%arg11, %arg12) <{callee = @dynamic_index_in_dim}> : (tensor<3x3xf32>, tensor<i32>) -> tensor<3xf32>
      %24:2 = "func.call"(%arg13, %23) <{callee = @closed_call}> : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
      %25 = "func.call"(%arg14, %24#1, %arg12) <{callee = @dynamic_update_index_in_dim}> : (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<3x3xf32>
      %26 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %27 = "stablehlo.add"(%arg12, %26) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg11, %27, %24#0, %25) : (tensor<3x3xf32>, tensor<i32>, tensor<3xf32>, tensor<3x3xf32>) -> ()
    }) : (tensor<3x3xf32>, tensor<i32>, tensor<3xf32>, tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>, tensor<3xf32>, tensor<3x3xf32>)
    %14 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %15 = "stablehlo.reduce"(%arg8, %14) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %22 = "stablehlo.add"(%arg9, %arg10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%22) : (tensor<f32>) -> ()
    }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
    %16 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %17 = "stablehlo.compare"(%15, %16) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %18 = "stablehlo.convert"(%17) : (tensor<i1>) -> tensor<i32>
    %19 = "stablehlo.case"(%18) ({
      %21 = "stablehlo.cosine"(%arg7) : (tensor<3x3xf32>) -> tensor<3x3xf32>
      "stablehlo.return"(%21) : (tensor<3x3xf32>) -> ()
    }, {
      %20 = "stablehlo.sine"(%arg7) : (tensor<3x3xf32>) -> tensor<3x3xf32>
      "stablehlo.return"(%20) : (tensor<3x3xf32>) -> ()
    }) : (tensor<i32>) -> tensor<3x3xf32>
    "func.return"(%13#2, %13#3, %19) : (tensor<3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x3xf32>, tensor<i32>) -> tensor<3xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<3x3xf32>, %arg6: tensor<i32>):
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %6 = "stablehlo.dynamic_slice"(%arg5, %arg6, %5) <{slice_sizes = array<i64: 1, 3>}> : (tensor<3x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %7 = "stablehlo.reshape"(%6) : (tensor<1x3xf32>) -> tensor<3xf32>
    "func.return"(%7) : (tensor<3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>), res_attrs = [{}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<3xf32>, %arg4: tensor<3xf32>):
    %3 = "stablehlo.add"(%arg3, %arg4) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %4 = "stablehlo.multiply"(%arg3, %arg4) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%3, %4) : (tensor<3xf32>, tensor<3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<3x3xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>) -> tensor<1x3xf32>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.dynamic_update_slice"(%arg0, %0, %arg2, %1) : (tensor<3x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x3xf32>
    "func.return"(%2) : (tensor<3x3xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
