// Replaces https://deno.land/std/http/server.ts, from which many functions still import `serve`.
export const serve = (handler, options = {}) => Deno.serve(options, handler).finished
