;; Finds the end of plain text inside a JSON string, 64 bytes a step. `text-stop.ts` explains the result and
;; keeps a part of the text in the memory; `tools/wasm.ts` makes `text-stop-code.ts` of this file.
(module
  ;; From byte 0: the kinds of every byte value. From byte 1024: the text.
  (memory (export "memory") 2)

  ;; 1: completes an escape after a backslash. 2: a hex digit. 3: both.
  (data (i32.const 0x22) "\01")
  (data (i32.const 0x2f) "\01\02\02\02\02\02\02\02\02\02\02")
  (data (i32.const 0x41) "\02\02\02\02\02\02")
  (data (i32.const 0x5c) "\01")
  (data (i32.const 0x61) "\02\03\02\02\02\03")
  (data (i32.const 0x6e) "\01")
  (data (i32.const 0x72) "\01")
  (data (i32.const 0x74) "\01")

  ;; Marks the bytes among the 16 at $at that end plain text: below 0x20, the quote or the backslash.
  ;; `x ^ 2` is below 0x21 exactly for the first two.
  (func $marks (param $at i32) (result v128)
    (local $bytes v128)
    (local.set $bytes (v128.load (local.get $at)))
    (v128.or
      (i8x16.lt_u
        (v128.xor (local.get $bytes) (i8x16.splat (i32.const 2)))
        (i8x16.splat (i32.const 0x21)))
      (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c)))))

  ;; The first byte from $at on that the caller has to look at; $end when there is none. May read, and ignores,
  ;; up to 63 bytes after $end.
  (func (export "textStop") (param $at i32) (param $end i32) (result i32)
    (local $found i32)
    (local $next i32)
    (loop $more
      (loop $plain
        (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $end))))
        (if (i32.eqz
              (v128.any_true
                (v128.or
                  (v128.or
                    (call $marks (local.get $at))
                    (call $marks (i32.add (local.get $at) (i32.const 16))))
                  (v128.or
                    (call $marks (i32.add (local.get $at) (i32.const 32)))
                    (call $marks (i32.add (local.get $at) (i32.const 48)))))))
          (then
            (local.set $at (i32.add (local.get $at) (i32.const 64)))
            (br $plain))))
      ;; One of these 64 bytes is marked.
      (loop $nearer
        (local.set $found (i8x16.bitmask (call $marks (local.get $at))))
        (if (i32.eqz (local.get $found))
          (then
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br $nearer))))
      (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $found))))
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $end))))
      (loop $escapes
        (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x5c)) (then (return (local.get $at))))
        (if (i32.ge_u (i32.add (local.get $at) (i32.const 1)) (local.get $end)) (then (return (local.get $at))))
        (local.set $next (i32.load8_u offset=1 (local.get $at)))
        (if (i32.eq (local.get $next) (i32.const 0x75))
          (then
            (if (i32.gt_u (i32.add (local.get $at) (i32.const 6)) (local.get $end))
              (then (return (local.get $at))))
            (if (i32.eqz
                  (i32.and
                    (i32.and
                      (i32.and
                        (i32.load8_u (i32.load8_u offset=2 (local.get $at)))
                        (i32.load8_u (i32.load8_u offset=3 (local.get $at))))
                      (i32.and
                        (i32.load8_u (i32.load8_u offset=4 (local.get $at)))
                        (i32.load8_u (i32.load8_u offset=5 (local.get $at)))))
                    (i32.const 2)))
              (then (return (local.get $at))))
            ;; 004 to 007, as for ASCII letters.
            (if (i32.and
                  (i32.eq (i32.load16_u offset=2 (local.get $at)) (i32.const 0x3030))
                  (i32.eq (i32.and (i32.load8_u offset=4 (local.get $at)) (i32.const 0xfc)) (i32.const 0x34)))
              (then (return (local.get $at))))
            (local.set $at (i32.add (local.get $at) (i32.const 6))))
          (else
            (if (i32.eqz (i32.and (i32.load8_u (local.get $next)) (i32.const 1)))
              (then (return (local.get $at))))
            (local.set $at (i32.add (local.get $at) (i32.const 2)))))
        (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $end))))
        ;; Escapes come in runs: \u for every character of a script.
        (br_if $escapes (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x5c))))
      (br $more))
    (unreachable)))
