module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xf32>) -> (tensor<9xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<9xf32>
    %2 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %3 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %4 = stablehlo.or %2, %3 : tensor<9xi1>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %6 = stablehlo.compare EQ, %1, %5, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %8 = stablehlo.compare EQ, %arg0, %7, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %10 = stablehlo.compare EQ, %1, %9, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %12 = stablehlo.compare LT, %1, %11, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %14 = stablehlo.compare LT, %arg0, %13, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %15 = stablehlo.and %8, %10 : tensor<9xi1>
    %16 = stablehlo.or %12, %14 : tensor<9xi1>
    %17 = stablehlo.or %16, %15 : tensor<9xi1>
    %18 = stablehlo.or %17, %4 : tensor<9xi1>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %20 = stablehlo.compare GE, %1, %19, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %21 = stablehlo.compare GT, %1, %arg0, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %22 = stablehlo.and %20, %21 : tensor<9xi1>
    %23 = stablehlo.log %1 : tensor<9xf32>
    %24 = stablehlo.multiply %arg0, %23 : tensor<9xf32>
    %25 = stablehlo.subtract %24, %1 : tensor<9xf32>
    %26 = chlo.lgamma %arg0 : tensor<9xf32> -> tensor<9xf32>
    %27 = stablehlo.subtract %25, %26 : tensor<9xf32>
    %cst_6 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %28 = stablehlo.log %cst_6 : tensor<f32>
    %29 = stablehlo.negate %28 : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %31 = stablehlo.compare LT, %27, %30, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
    %32 = stablehlo.exponential %27 : tensor<9xf32>
    %33 = stablehlo.or %10, %18 : tensor<9xi1>
    %34 = stablehlo.or %33, %31 : tensor<9xi1>
    %35 = stablehlo.or %34, %6 : tensor<9xi1>
    %36 = stablehlo.not %35 : tensor<9xi1>
    %37 = stablehlo.and %36, %22 : tensor<9xi1>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %39 = stablehlo.subtract %38, %arg0 : tensor<9xf32>
    %40 = stablehlo.add %1, %39 : tensor<9xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %42 = stablehlo.add %40, %41 : tensor<9xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %45 = stablehlo.add %1, %44 : tensor<9xf32>
    %46 = stablehlo.multiply %42, %1 : tensor<9xf32>
    %47 = stablehlo.divide %45, %46 : tensor<9xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %52 = stablehlo.negate %1 : tensor<9xf32>
    %53 = stablehlo.multiply %47, %52 : tensor<9xf32>
    %54 = stablehlo.subtract %51, %53 : tensor<9xf32>
    %55 = stablehlo.divide %54, %46 : tensor<9xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56:15 = stablehlo.while(%iterArg = %37, %iterArg_24 = %47, %iterArg_25 = %48, %iterArg_26 = %39, %iterArg_27 = %42, %iterArg_28 = %cst_15, %iterArg_29 = %45, %iterArg_30 = %46, %iterArg_31 = %43, %iterArg_32 = %1, %iterArg_33 = %49, %iterArg_34 = %50, %iterArg_35 = %51, %iterArg_36 = %52, %iterArg_37 = %55) : tensor<9xi1>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<f32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
    cond {
      %cst_38 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %76 = stablehlo.compare LT, %iterArg_28, %cst_38, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c = stablehlo.constant dense<false> : tensor<i1>
      %77 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<9xi1>, tensor<i1>) -> tensor<i1>
      %78 = stablehlo.and %76, %77 : tensor<i1>
      stablehlo.return %78 : tensor<i1>
    } do {
      %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %76 = stablehlo.add %iterArg_28, %cst_38 : tensor<f32>
      %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %77 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %78 = stablehlo.add %iterArg_26, %77 : tensor<9xf32>
      %cst_40 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %79 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %80 = stablehlo.add %iterArg_27, %79 : tensor<9xf32>
      %81 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %82 = stablehlo.multiply %78, %81 : tensor<9xf32>
      %83 = stablehlo.multiply %iterArg_29, %80 : tensor<9xf32>
      %84 = stablehlo.multiply %iterArg_31, %82 : tensor<9xf32>
      %85 = stablehlo.subtract %83, %84 : tensor<9xf32>
      %86 = stablehlo.multiply %iterArg_30, %80 : tensor<9xf32>
      %87 = stablehlo.multiply %iterArg_32, %82 : tensor<9xf32>
      %88 = stablehlo.subtract %86, %87 : tensor<9xf32>
      %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %89 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %90 = stablehlo.compare NE, %88, %89, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
      %91 = stablehlo.divide %85, %88 : tensor<9xf32>
      %92 = stablehlo.subtract %iterArg_24, %91 : tensor<9xf32>
      %93 = stablehlo.divide %92, %91 : tensor<9xf32>
      %94 = stablehlo.abs %93 : tensor<9xf32>
      %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %95 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %96 = stablehlo.select %90, %94, %95 : tensor<9xi1>, tensor<9xf32>
      %97 = stablehlo.select %90, %91, %iterArg_24 : tensor<9xi1>, tensor<9xf32>
      %98 = stablehlo.multiply %iterArg_35, %80 : tensor<9xf32>
      %99 = stablehlo.subtract %98, %iterArg_29 : tensor<9xf32>
      %100 = stablehlo.multiply %iterArg_33, %82 : tensor<9xf32>
      %101 = stablehlo.subtract %99, %100 : tensor<9xf32>
      %102 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %103 = stablehlo.multiply %iterArg_31, %102 : tensor<9xf32>
      %104 = stablehlo.add %101, %103 : tensor<9xf32>
      %105 = stablehlo.multiply %iterArg_36, %80 : tensor<9xf32>
      %106 = stablehlo.subtract %105, %iterArg_30 : tensor<9xf32>
      %107 = stablehlo.multiply %iterArg_34, %82 : tensor<9xf32>
      %108 = stablehlo.subtract %106, %107 : tensor<9xf32>
      %109 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %110 = stablehlo.multiply %iterArg_32, %109 : tensor<9xf32>
      %111 = stablehlo.add %108, %110 : tensor<9xf32>
      %112 = stablehlo.multiply %97, %111 : tensor<9xf32>
      %113 = stablehlo.subtract %104, %112 : tensor<9xf32>
      %114 = stablehlo.divide %113, %88 : tensor<9xf32>
      %115 = stablehlo.select %90, %114, %iterArg_37 : tensor<9xi1>, tensor<9xf32>
      %116 = stablehlo.subtract %115, %iterArg_37 : tensor<9xf32>
      %117 = stablehlo.abs %116 : tensor<9xf32>
      %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %118 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %119 = stablehlo.select %90, %117, %118 : tensor<9xi1>, tensor<9xf32>
      %120 = stablehlo.abs %85 : tensor<9xf32>
      %cst_44 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_45 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %121 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<f32>
      %122 = stablehlo.divide %121, %cst_44 : tensor<f32>
      %123 = stablehlo.broadcast_in_dim %122, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %124 = stablehlo.compare GT, %120, %123, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
      %cst_46 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %125 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %126 = stablehlo.multiply %iterArg_29, %125 : tensor<9xf32>
      %127 = stablehlo.select %124, %126, %iterArg_29 : tensor<9xi1>, tensor<9xf32>
      %cst_47 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %128 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %129 = stablehlo.multiply %85, %128 : tensor<9xf32>
      %130 = stablehlo.select %124, %129, %85 : tensor<9xi1>, tensor<9xf32>
      %cst_48 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %131 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %132 = stablehlo.multiply %iterArg_30, %131 : tensor<9xf32>
      %133 = stablehlo.select %124, %132, %iterArg_30 : tensor<9xi1>, tensor<9xf32>
      %cst_49 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %134 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %135 = stablehlo.multiply %88, %134 : tensor<9xf32>
      %136 = stablehlo.select %124, %135, %88 : tensor<9xi1>, tensor<9xf32>
      %cst_50 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %137 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %138 = stablehlo.multiply %iterArg_35, %137 : tensor<9xf32>
      %139 = stablehlo.select %124, %138, %iterArg_35 : tensor<9xi1>, tensor<9xf32>
      %cst_51 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %140 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %141 = stablehlo.multiply %iterArg_36, %140 : tensor<9xf32>
      %142 = stablehlo.select %124, %141, %iterArg_36 : tensor<9xi1>, tensor<9xf32>
      %cst_52 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %143 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %144 = stablehlo.multiply %104, %143 : tensor<9xf32>
      %145 = stablehlo.select %124, %144, %104 : tensor<9xi1>, tensor<9xf32>
      %cst_53 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %146 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %147 = stablehlo.multiply %111, %146 : tensor<9xf32>
      %148 = stablehlo.select %124, %147, %111 : tensor<9xi1>, tensor<9xf32>
      %cst_54 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %149 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %150 = stablehlo.compare GT, %96, %149, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
      %151 = stablehlo.and %iterArg, %150 : tensor<9xi1>
      %152 = stablehlo.select %iterArg, %97, %iterArg_24 : tensor<9xi1>, tensor<9xf32>
      %153 = stablehlo.select %iterArg, %96, %iterArg_25 : tensor<9xi1>, tensor<9xf32>
      %154 = stablehlo.select %iterArg, %78, %iterArg_26 : tensor<9xi1>, tensor<9xf32>
      %155 = stablehlo.select %iterArg, %80, %iterArg_27 : tensor<9xi1>, tensor<9xf32>
      %156 = stablehlo.select %iterArg, %130, %iterArg_29 : tensor<9xi1>, tensor<9xf32>
      %157 = stablehlo.select %iterArg, %136, %iterArg_30 : tensor<9xi1>, tensor<9xf32>
      %158 = stablehlo.select %iterArg, %127, %iterArg_31 : tensor<9xi1>, tensor<9xf32>
      %159 = stablehlo.select %iterArg, %133, %iterArg_32 : tensor<9xi1>, tensor<9xf32>
      %160 = stablehlo.select %iterArg, %139, %iterArg_33 : tensor<9xi1>, tensor<9xf32>
      %161 = stablehlo.select %iterArg, %142, %iterArg_34 : tensor<9xi1>, tensor<9xf32>
      %162 = stablehlo.select %iterArg, %145, %iterArg_35 : tensor<9xi1>, tensor<9xf32>
      %163 = stablehlo.select %iterArg, %148, %iterArg_36 : tensor<9xi1>, tensor<9xf32>
      %164 = stablehlo.select %iterArg, %115, %iterArg_37 : tensor<9xi1>, tensor<9xf32>
      stablehlo.return %151, %152, %153, %154, %155, %76, %156, %157, %158, %159, %160, %161, %162, %163, %164 : tensor<9xi1>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<f32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
    }
    %57 = stablehlo.multiply %56#1, %32 : tensor<9xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %59 = stablehlo.subtract %58, %57 : tensor<9xf32>
    %60 = stablehlo.not %22 : tensor<9xi1>
    %61 = stablehlo.and %36, %60 : tensor<9xi1>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %66:7 = stablehlo.while(%iterArg = %61, %iterArg_24 = %arg0, %iterArg_25 = %62, %iterArg_26 = %63, %iterArg_27 = %1, %iterArg_28 = %64, %iterArg_29 = %65) : tensor<9xi1>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
    cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      %76 = stablehlo.reduce(%iterArg init: %c) applies stablehlo.or across dimensions = [0] : (tensor<9xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %76 : tensor<i1>
    } do {
      %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %76 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %77 = stablehlo.add %iterArg_24, %76 : tensor<9xf32>
      %78 = stablehlo.divide %iterArg_27, %77 : tensor<9xf32>
      %79 = stablehlo.multiply %iterArg_28, %78 : tensor<9xf32>
      %80 = stablehlo.multiply %iterArg_25, %iterArg_27 : tensor<9xf32>
      %81 = stablehlo.multiply %77, %77 : tensor<9xf32>
      %82 = stablehlo.divide %80, %81 : tensor<9xf32>
      %83 = stablehlo.subtract %79, %82 : tensor<9xf32>
      %84 = stablehlo.add %iterArg_29, %83 : tensor<9xf32>
      %85 = stablehlo.divide %iterArg_27, %77 : tensor<9xf32>
      %86 = stablehlo.multiply %iterArg_25, %85 : tensor<9xf32>
      %87 = stablehlo.add %iterArg_26, %86 : tensor<9xf32>
      %88 = stablehlo.divide %86, %87 : tensor<9xf32>
      %cst_31 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %89 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<9xf32>
      %90 = stablehlo.compare GT, %88, %89, FLOAT : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
      %91 = stablehlo.and %iterArg, %90 : tensor<9xi1>
      %92 = stablehlo.select %iterArg, %77, %iterArg_24 : tensor<9xi1>, tensor<9xf32>
      %93 = stablehlo.select %iterArg, %86, %iterArg_25 : tensor<9xi1>, tensor<9xf32>
      %94 = stablehlo.select %iterArg, %87, %iterArg_26 : tensor<9xi1>, tensor<9xf32>
      %95 = stablehlo.select %iterArg, %iterArg_27, %iterArg_27 : tensor<9xi1>, tensor<9xf32>
      %96 = stablehlo.select %iterArg, %83, %iterArg_28 : tensor<9xi1>, tensor<9xf32>
      %97 = stablehlo.select %iterArg, %84, %iterArg_29 : tensor<9xi1>, tensor<9xf32>
      stablehlo.return %91, %92, %93, %94, %95, %96, %97 : tensor<9xi1>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
    }
    %67 = stablehlo.multiply %66#3, %32 : tensor<9xf32>
    %68 = stablehlo.divide %67, %arg0 : tensor<9xf32>
    %69 = stablehlo.select %22, %59, %68 : tensor<9xi1>, tensor<9xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %71 = stablehlo.select %10, %70, %69 : tensor<9xi1>, tensor<9xf32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %73 = stablehlo.select %6, %72, %71 : tensor<9xi1>, tensor<9xf32>
    %cst_23 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %75 = stablehlo.select %18, %74, %73 : tensor<9xi1>, tensor<9xf32>
    return %75 : tensor<9xf32>
  }
}
