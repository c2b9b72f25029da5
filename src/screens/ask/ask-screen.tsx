import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { MessageCircleQuestion } from 'lucide-react'
import { useRef, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { describeFailure } from '../../domain/failure.ts'
import { showFailure } from '../../domain/failure-toast.ts'
import { type Answer, applyEvent, EMPTY_ANSWER } from '../../features/ask/answer.ts'
import { AnswerView } from '../../features/ask/answer-view.tsx'
import { AskScope } from '../../features/ask/ask-scope.tsx'
import { ConversationList } from '../../features/ask/conversation-list.tsx'
import { askLibrary, deleteConversation } from '../../features/ask/mutations.ts'
import { conversationsQuery, questionsQuery } from '../../features/ask/queries.ts'
import { QuestionForm } from '../../features/ask/question-form.tsx'
import { namedDocumentsQuery } from '../../features/documents/title-queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const NONE: readonly string[] = []

const route = getRouteApi('/_signed-in/l/$library/ask')

export function AskScreen() {
  const { library } = route.useParams()
  const { conversation, documents } = route.useSearch()
  const navigate = route.useNavigate()
  const queryClient = useQueryClient()
  const { data: conversations = [] } = useQuery(conversationsQuery(library))
  const { data: questions = [], isLoading } = useQuery({
    ...questionsQuery(library, conversation ?? ''),
    enabled: conversation !== undefined,
    throwOnError: true,
  })
  const { data: scope = [] } = useQuery(namedDocumentsQuery(library, documents ?? NONE))
  const [asked, setAsked] = useState<{ question: string; answer: Answer; id?: string }>()
  const stop = useRef<AbortController>(undefined)
  usePageTitle(t('Ask'))

  const asking = useMutation(askLibrary)
  const deletion = useMutation({
    ...deleteConversation,
    onError: showFailure,
  })
  const ask = (question: string, documents: readonly string[] | undefined) => {
    stop.current = new AbortController()
    setAsked({ question, answer: EMPTY_ANSWER })
    const onEvent = (event: Parameters<typeof applyEvent>[1]) =>
      setAsked(
        (before) =>
          before && {
            ...before,
            answer: applyEvent(before.answer, event),
            ...(event.type === 'done' ? { id: event.question_id } : {}),
          },
      )
    asking.mutate(
      { library, documents, question, conversation, signal: stop.current.signal, onEvent },
      {
        onSuccess: async ({ conversation_id }) => {
          // The answer stays on screen until the stored one can take its place.
          await queryClient.query(questionsQuery(library, conversation_id))
          setAsked(undefined)
          if (conversation_id !== conversation)
            void navigate({ search: (before) => ({ ...before, conversation: conversation_id }) })
        },
      },
    )
  }
  const setScope = (rest: readonly string[]) =>
    void navigate({
      search: (before) => ({ ...before, documents: rest.length > 0 ? [...rest] : undefined }),
      replace: true,
    })
  const last = asked ?? questions.at(-1)
  const isMissing = documents !== undefined && !asking.isPending && last?.answer.outcome === 'not_found'
  const failure = asking.error && !stop.current?.signal.aborted ? describeFailure(asking.error) : undefined
  const quotes = [...questions.map(({ answer }) => answer), ...(asked ? [asked.answer] : [])].some(
    ({ outcome, model }) => outcome !== null && model === null,
  )
  return (
    <div className="mx-auto grid w-full max-w-6xl grid-cols-1 gap-x-10 gap-y-8 px-4 py-6 sm:px-8 xl:grid-cols-[minmax(0,1fr)_15rem]">
      <div className="mx-auto grid w-full max-w-3xl grid-cols-1 content-start gap-8">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h1 className="font-semibold font-serif text-[1.75rem] leading-tight tracking-tight">{t('Ask')}</h1>
          {quotes ? (
            <Badge title={t('No language model is set up: passages of the library are shown as they stand.')}>
              {t('In quotes')}
            </Badge>
          ) : null}
        </div>
        {questions.map(({ id, question, answer }) => (
          <Exchange key={id} library={library} question={question} answer={answer} />
        ))}
        {asked && !questions.some(({ id }) => id === asked.id) ? (
          <Exchange library={library} question={asked.question} answer={asked.answer} />
        ) : null}
        {isLoading || (asked && asking.isPending && asked.answer.sentences.length === 0) ? (
          <div role="status" aria-label={t('Looking through the library')} className="grid gap-3">
            <Skeleton className="h-5 w-full" />
            <Skeleton className="h-5 w-11/12" />
            <Skeleton className="h-5 w-3/5" />
          </div>
        ) : null}
        {failure ? (
          <Notice tone="error" title={failure.title}>
            {failure.advice}
          </Notice>
        ) : null}
        {isMissing && last ? (
          <Button
            className="justify-self-start"
            onClick={() => {
              setScope([])
              ask(last.question, undefined)
            }}
          >
            <MessageCircleQuestion aria-hidden />
            {t('Ask the whole library this question')}
          </Button>
        ) : null}
        {questions.length === 0 && !asked && !isLoading ? (
          <EmptyState
            icon={MessageCircleQuestion}
            title={
              documents
                ? t('{count, plural, =1 {Ask this document} other {Ask these # documents}}', {
                    count: documents.length,
                  })
                : t('Ask your library')
            }
          >
            {t(
              'Every answer comes with the passages it rests on; each leads to its place in its document. When no sentence answers, the nearest passages are shown.',
            )}
          </EmptyState>
        ) : null}
        <div className="sticky bottom-0 -mx-1 bg-linear-to-t from-70% from-paper to-transparent px-1 pt-6 pb-4">
          {documents ? (
            <AskScope
              documents={scope}
              onRemove={(document) => setScope(documents.filter((one) => one !== document))}
              onClear={() => setScope([])}
            />
          ) : null}
          <QuestionForm
            busy={asking.isPending}
            onAsk={(question) => ask(question, documents)}
            onStop={() => {
              stop.current?.abort()
              setAsked(undefined)
            }}
          />
        </div>
      </div>
      {conversations.length > 0 ? (
        <ConversationList
          library={library}
          conversations={conversations}
          open={conversation}
          onDelete={({ id }) => {
            deletion.mutate({ library, conversation: id })
            if (id === conversation) void navigate({ search: {} })
          }}
        />
      ) : null}
    </div>
  )
}

function Exchange({ library, question, answer }: { library: string; question: string; answer: Answer }) {
  return (
    <article aria-label={question} className="grid grid-cols-1 gap-4">
      <h2 dir="auto" className="text-start font-semibold font-serif text-xl leading-snug">
        {question}
      </h2>
      {answer.outcome !== null || answer.sentences.length > 0 ? (
        <AnswerView library={library} question={question} answer={answer} />
      ) : null}
    </article>
  )
}
