// Replaces https://deno.land/std/http/server.ts, which many functions still import `serve` from.
export const serve = (handler, options = {}) => Deno.serve(options, handler).finished
