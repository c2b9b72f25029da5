// Computes embeddings for Supabase.ai.Session with the model that hosted functions have built in. Runs in its own
// process because native code needs permissions that functions lack. Library and model are downloaded on first use and
// cached.

const MODELS = { 'gte-small': 'Supabase/gte-small' }
const HOST = Deno.env.get('HF_ENDPOINT') ?? 'https://huggingface.co/'
const pipelines = new Map()
const encoder = new TextEncoder()

/** Milliseconds to remember a failure to load, so that offline calls don't each wait for it. */
const RETRY_AFTER = 60_000

async function answer({ number, question: { model, input, mean_pool, normalize } }) {
  try {
    const extract = await load(model)
    const output = await extract(input, { pooling: mean_pool ? 'mean' : 'none', normalize })
    tell({ number, output: Array.isArray(input) ? output.tolist() : Array.from(output.data) })
  } catch (error) {
    tell({ number, error: explain(model, error) })
  }
}

const tell = (message) =>
  Deno.stdout.writeSync(encoder.encode(`\u001e${JSON.stringify({ type: 'embedded', ...message })}\n`))

function load(model) {
  let loading = pipelines.get(model)
  if (!loading) {
    loading = import('npm:@huggingface/transformers@3.8.1').then(({ pipeline, env }) => {
      env.remoteHost = HOST
      env.cacheDir = `${Deno.env.get('UNDOCK_MODELS')}/${new URL(HOST).hostname}`
      return pipeline('feature-extraction', MODELS[model], { dtype: 'q8' })
    })
    loading.catch(() => setTimeout(() => pipelines.delete(model), RETRY_AFTER))
    pipelines.set(model, loading)
  }
  return loading
}

const explain = (model, error) =>
  `Supabase.ai.Session: the model "${model}" could not be loaded (${error?.message ?? error}). ` +
  `It is fetched once from ${new URL(MODELS[model] ?? '', HOST)}: check that this machine reaches it, ` +
  'or catch this error and continue without embeddings.'

let rest = ''
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + text).split('\n')
  rest = lines.pop()
  for (const line of lines) void answer(JSON.parse(line))
}
Deno.exit(0)
