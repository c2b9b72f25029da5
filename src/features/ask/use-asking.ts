import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { applyToExchange, EMPTY_ANSWER, type Exchange } from './answer.ts'
import { askLibrary } from './mutations.ts'
import { questionsQuery } from './queries.ts'

type Asking = {
  readonly library: string
  readonly conversation: string | undefined
  /** Called when the answer is stored in another conversation. */
  readonly onConversation: (conversation: string) => void
}

/** Asks a question and keeps it with its answer until the stored one replaces it. */
export function useAsking({ library, conversation, onConversation }: Asking) {
  const queryClient = useQueryClient()
  const [asked, setAsked] = useState<Exchange>()
  const stop = useRef<AbortController>(undefined)
  const asking = useMutation(askLibrary)
  return {
    asked,
    isPending: asking.isPending,
    /** Stopping isn't an error. */
    error: stop.current?.signal.aborted ? null : asking.error,
    ask(question: string, documents: readonly string[] | undefined, onError = () => {}) {
      stop.current = new AbortController()
      setAsked({ question, answer: EMPTY_ANSWER })
      asking.mutate(
        {
          library,
          documents,
          question,
          conversation,
          signal: stop.current.signal,
          onEvent: (event) => setAsked((before) => before && applyToExchange(before, event)),
        },
        {
          onError,
          onSuccess: async ({ conversation_id }) => {
            await queryClient.query(questionsQuery(library, conversation_id))
            setAsked(undefined)
            if (conversation_id !== conversation) onConversation(conversation_id)
          },
        },
      )
    },
    stop() {
      stop.current?.abort()
      setAsked(undefined)
    },
  }
}
