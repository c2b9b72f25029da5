// Turns text into vectors for Supabase.ai.Session, with the model that hosted functions have built in. Library and
// model are fetched on the first use and then lie in Deno's and the library's cache.

const MODELS = { 'gte-small': 'Supabase/gte-small' }
const HOST = Deno.env.get('HF_ENDPOINT') ?? 'https://huggingface.co/'
const pipelines = new Map()

/** How long a failure to load is remembered, in milliseconds: without a network every text would wait for it anew. */
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
  'or catch this error and go on without embeddings.'
