module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<i32>, %arg2: tensor<i1>) -> (tensor<3xf32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}, tensor<3xf32> {jax.result_info = "result[2]"}, tensor<3xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.convert %arg2 : (tensor<i1>) -> tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %10 = stablehlo.cosine %arg0 : tensor<3xf32>
      stablehlo.return %10 : tensor<3xf32>
    }, {
      %10 = stablehlo.sine %arg0 : tensor<3xf32>
      stablehlo.return %10 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.clamp %c, %arg1, %c_0 : tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %10 = stablehlo.sine %arg0 : tensor<3xf32>
      stablehlo.return %10 : tensor<3xf32>
    }, {
      %10 = stablehlo.cosine %arg0 : tensor<3xf32>
      stablehlo.return %10 : tensor<3xf32>
    }, {
      %10 = stablehlo.exponential %arg0 : tensor<3xf32>
      stablehlo.return %10 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %4 = stablehlo.convert %arg2 : (tensor<i1>) -> tensor<i32>
    %5 = "stablehlo.case"(%4) ({
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %11 = stablehlo.multiply %arg0, %10 : tensor<3xf32>
      stablehlo.return %11 : tensor<3xf32>
    }, {
      %10 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
      %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %12 = stablehlo.add %arg0, %11 : tensor<3xf32>
      stablehlo.return %12 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare GT, %6, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.convert %7 : (tensor<i1>) -> tensor<i32>
    %9 = "stablehlo.case"(%8) ({
      stablehlo.return %arg0 : tensor<3xf32>
    }, {
      %10 = stablehlo.convert %arg2 : (tensor<i1>) -> tensor<i32>
      %11 = "stablehlo.case"(%10) ({
        %12 = stablehlo.cosine %arg0 : tensor<3xf32>
        stablehlo.return %12 : tensor<3xf32>
      }, {
        %12 = stablehlo.sine %arg0 : tensor<3xf32>
        stablehlo.return %12 : tensor<3xf32>
      }) : (tensor<i32>) -> tensor<3xf32>
      stablehlo.return %11 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    return %1, %3, %5, %9 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
