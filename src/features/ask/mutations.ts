import { keys } from '../../domain/keys.ts'
import { EdgeFunctionError } from '../../lib/backend/edge-function-error.ts'
import { toEdgeFunctionError } from '../../lib/backend/edge-functions.ts'
import { supabase } from '../../lib/backend/supabase.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { defineMutation } from '../../lib/mutations.ts'
import { AnswerEvent } from './answer.ts'

type Question = {
  library: string
  documents: readonly string[] | undefined
  question: string
  conversation: string | undefined
  signal: AbortSignal
  onEvent: (event: Exclude<AnswerEvent, { type: 'error' }>) => void
}
type Done = Extract<AnswerEvent, { type: 'done' }>

/** Asks a question and streams the answer. @returns the last event. */
export const askLibrary = defineMutation({
  mutationFn: async ({ library, documents, question, conversation, signal, onEvent }: Question): Promise<Done> => {
    const { data, error } = await supabase.functions.invoke('ask', {
      body: {
        library_id: library,
        question,
        ...(conversation ? { conversation_id: conversation } : {}),
        ...(documents ? { document_ids: documents } : {}),
      },
      signal,
    })
    if (error) throw await toEdgeFunctionError(error)
    // For event streams, the client returns the raw response.
    if (!(data instanceof Response) || !data.body)
      throw new Error(t('The server’s answer couldn’t be read. Reload the page and ask again.'))
    for await (const event of readEvents(data.body)) {
      const parsed = AnswerEvent.safeParse(event)
      if (!parsed.success) continue
      if (parsed.data.type === 'error') throw new EdgeFunctionError(500, parsed.data)
      onEvent(parsed.data)
      if (parsed.data.type === 'done') return parsed.data
    }
    throw new Error(t('The answer stopped early. Ask again.'))
  },
  invalidates: ({ library }) => [keys.conversations(library)],
})

export const deleteConversation = defineMutation({
  mutationFn: ({ conversation }: { library: string; conversation: string }) =>
    supabase.from('conversations').delete().eq('id', conversation).throwOnError(),
  invalidates: ({ library }) => [keys.conversations(library)],
})

/** Yields the JSON of server-sent events; ignores other data. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    rest += done ? '\n' : decoder.decode(value, { stream: true })
    const lines = rest.split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data:')) continue
      try {
        yield JSON.parse(line.slice(5))
      } catch {}
    }
    if (done) return
  }
}
