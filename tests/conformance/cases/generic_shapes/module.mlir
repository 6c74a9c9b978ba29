"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x3xf32>, tensor<4x3xf32>) -> (tensor<5x5xf32>, tensor<4x2xf32>, tensor<4x3xcomplex<f32>>, tensor<3x3xbf16>, tensor<2xcomplex<f32>>, tensor<3x3xi1>, tensor<3x3xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}, {jax.result_info = "result[6]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg3: tensor<3x3xf32>, %arg4: tensor<4x3xf32>):
    %4 = "stablehlo.constant"() <{value = dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,0.000000e+00)]> : tensor<2xcomplex<f32>>}> : () -> tensor<2xcomplex<f32>>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %6 = "func.call"(%arg3, %5) <{callee = @_pad}> : (tensor<3x3xf32>, tensor<i32>) -> tensor<5x5xf32>
    %7 = "stablehlo.slice"(%arg4) <{limit_indices = array<i64: 4, 3>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 1>}> : (tensor<4x3xf32>) -> tensor<4x2xf32>
    %8 = "stablehlo.reverse"(%7) <{dimensions = array<i64: 0>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %9 = "func.call"(%arg4) <{callee = @fft}> : (tensor<4x3xf32>) -> tensor<4x3xcomplex<f32>>
    %10 = "stablehlo.convert"(%arg3) : (tensor<3x3xf32>) -> tensor<3x3xbf16>
    %11 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3xf32>
    %13 = "stablehlo.compare"(%arg3, %12) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xi1>
    %14 = "stablehlo.constant"() <{value = dense<9.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x3xf32>
    %16 = "stablehlo.divide"(%arg3, %15) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %17 = "chlo.erf_inv"(%16) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    "func.return"(%6, %8, %9, %10, %4, %13, %17) : (tensor<5x5xf32>, tensor<4x2xf32>, tensor<4x3xcomplex<f32>>, tensor<3x3xbf16>, tensor<2xcomplex<f32>>, tensor<3x3xi1>, tensor<3x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x3xf32>, tensor<i32>) -> tensor<5x5xf32>, res_attrs = [{}], sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<3x3xf32>, %arg2: tensor<i32>):
    %2 = "stablehlo.convert"(%arg2) : (tensor<i32>) -> tensor<f32>
    %3 = "stablehlo.pad"(%arg1, %2) <{edge_padding_high = array<i64: 1, 1>, edge_padding_low = array<i64: 1, 1>, interior_padding = array<i64: 0, 0>}> : (tensor<3x3xf32>, tensor<f32>) -> tensor<5x5xf32>
    "func.return"(%3) : (tensor<5x5xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<4x3xf32>) -> tensor<4x3xcomplex<f32>>, res_attrs = [{}], sym_name = "fft", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x3xf32>):
    %0 = "stablehlo.convert"(%arg0) : (tensor<4x3xf32>) -> tensor<4x3xcomplex<f32>>
    %1 = "stablehlo.fft"(%0) <{fft_length = array<i64: 3>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<4x3xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
    "func.return"(%1) : (tensor<4x3xcomplex<f32>>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
