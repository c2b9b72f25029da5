import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { applyToExchange, EMPTY_ANSWER, type Exchange } from './answer.ts'
import { askLibrary } from './mutations.ts'
import { questionsQuery } from './queries.ts'

type Asking = {
  readonly library: string
  readonly conversation: string | undefined
  /** The answer is stored in another conversation than the one that is open. */
  readonly onConversation: (conversation: string) => void
}

/** Asks a library, and has the question and its answer until the stored one can take its place. */
export function useAsking({ library, conversation, onConversation }: Asking) {
  const queryClient = useQueryClient()
  const [asked, setAsked] = useState<Exchange>()
  const stop = useRef<AbortController>(undefined)
  const asking = useMutation(askLibrary)
  return {
    asked,
    isPending: asking.isPending,
    /** None for an answer that the person has stopped. */
    error: stop.current?.signal.aborted ? null : asking.error,
    /** @param documents Asks only these. */
    ask(question: string, documents: readonly string[] | undefined) {
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
