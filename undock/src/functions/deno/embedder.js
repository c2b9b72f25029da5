// Computes embeddings for Supabase.ai.Session with the model that hosted functions have built in. The library and the
// model are downloaded on first use and then cached, by Deno and by the library.

const MODELS = { 'gte-small': 'Supabase/gte-small' }
const HOST = Deno.env.get('HF_ENDPOINT') ?? 'https://huggingface.co/'
const pipelines = new Map()

/** Milliseconds for which a failure to load is remembered: without a network every call would wait for it again. */
const RETRY_AFTER = 60_000

self.onmessage = async ({ data: { number, model, input, mean_pool, normalize } }) => {
  try {
    const extract = await load(model)
    const output = await extract(input, { pooling: mean_pool ? 'mean' : 'none', normalize })
    self.postMessage({ number, output: Array.isArray(input) ? output.tolist() : Array.from(output.data) })
  } catch (error) {
    self.postMessage({ number, error: explain(model, error) })
  }
}

function load(model) {
  let loading = pipelines.get(model)
  if (!loading) {
    loading = import('npm:@huggingface/transformers@3.8.1').then(({ pipeline, env }) => {
      env.remoteHost = HOST
      env.cacheDir = `${cacheFolder()}/undock/models/${new URL(HOST).hostname}`
      return pipeline('feature-extraction', MODELS[model], { dtype: 'q8' })
    })
    loading.catch(() => setTimeout(() => pipelines.delete(model), RETRY_AFTER))
    pipelines.set(model, loading)
  }
  return loading
}

function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = Deno.env.toObject()
  return XDG_CACHE_HOME ?? LOCALAPPDATA ?? `${HOME ?? '.'}/.cache`
}

const explain = (model, error) =>
  `Supabase.ai.Session: the model "${model}" could not be loaded (${error?.message ?? error}). ` +
  `It is fetched once from ${new URL(MODELS[model], HOST)}: check that this machine reaches it, ` +
  'or catch this error and continue without embeddings.'
