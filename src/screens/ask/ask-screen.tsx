import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { MessageCircleQuestion } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { type Answer, isQuoted, shownExchanges } from '../../features/ask/answer.ts'
import { AnswerView } from '../../features/ask/answer-view.tsx'
import { AskScope } from '../../features/ask/ask-scope.tsx'
import { ConversationList } from '../../features/ask/conversation-list.tsx'
import { deleteConversation } from '../../features/ask/mutations.ts'
import { conversationsQuery, questionsQuery } from '../../features/ask/queries.ts'
import { QuestionForm } from '../../features/ask/question-form.tsx'
import { useAsking } from '../../features/ask/use-asking.ts'
import { namedDocumentsQuery } from '../../features/documents/title-queries.ts'
import { libraryQuery } from '../../features/libraries/queries.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { classNames } from '../../lib/ui/class-names.ts'
import { usePageTitle } from '../../lib/ui/page-title.ts'

const NONE: readonly string[] = []

const route = getRouteApi('/_signed-in/l/$library/ask')

export function AskScreen() {
  const { library } = route.useParams()
  const { conversation, documents } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: itself } = useQuery(libraryQuery(library))
  const { data: conversations = [] } = useQuery(conversationsQuery(library))
  const { data: questions = [], isLoading } = useQuery({
    ...questionsQuery(library, conversation ?? ''),
    enabled: conversation !== undefined,
    throwOnError: true,
  })
  const { data: scope = [] } = useQuery(namedDocumentsQuery(library, documents ?? NONE))
  usePageTitle(t('Ask'))
  const deletion = useAction(deleteConversation)
  const { asked, isPending, error, ask, stop } = useAsking({
    library,
    conversation,
    onConversation: (stored) => void navigate({ search: (before) => ({ ...before, conversation: stored }) }),
  })
  const setScope = (rest: readonly string[]) =>
    void navigate({
      search: (before) => ({ ...before, documents: rest.length > 0 ? [...rest] : undefined }),
      replace: true,
    })
  const exchanges = shownExchanges(questions, asked)
  const last = asked ?? questions.at(-1)
  const isMissing = documents !== undefined && !isPending && last?.answer.outcome === 'not_found'
  return (
    <div
      className={classNames(
        'grid w-full max-w-6xl grid-cols-1 gap-x-10 gap-y-8 px-4 py-6 sm:px-8',
        conversations.length > 0 && 'xl:grid-cols-[minmax(0,1fr)_15rem]',
      )}
    >
      <div className="grid w-full max-w-3xl grid-cols-1 content-start gap-8">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h1 className="font-semibold font-serif text-[1.75rem] leading-tight tracking-tight">{t('Ask')}</h1>
          {itself?.allows_models === false ? (
            <Badge title={t('An owner of this library has turned language models off. No passages are sent to one.')}>
              {t('No language model')}
            </Badge>
          ) : exchanges.some(({ answer }) => isQuoted(answer)) ? (
            <Badge
              title={t('No language model is set up, so answers quote the library’s passages as they’re written.')}
            >
              {t('Quotes only')}
            </Badge>
          ) : null}
        </div>
        {exchanges.map(({ id, question, answer }) => (
          <ExchangeView key={id ?? 'asked'} library={library} question={question} answer={answer} />
        ))}
        {isLoading || (isPending && asked?.answer.sentences.length === 0) ? (
          <div role="status" aria-label={t('Searching the library')} className="grid gap-3">
            <Skeleton className="h-5 w-full" />
            <Skeleton className="h-5 w-11/12" />
            <Skeleton className="h-5 w-3/5" />
          </div>
        ) : null}
        <FailureNotice error={error} />
        {isMissing && last ? (
          <Button
            icon={MessageCircleQuestion}
            className="justify-self-start"
            onClick={() => {
              setScope([])
              ask(last.question, undefined)
            }}
          >
            {t('Ask the whole library this question')}
          </Button>
        ) : null}
        {exchanges.length === 0 && !isLoading ? <Nothing documents={documents} /> : null}
        <div className="-mx-1 bottom-0 bg-linear-to-t from-70% from-paper to-transparent px-1 pt-6 pb-4 [@media(min-height:24rem)]:sticky">
          {documents ? (
            <AskScope
              documents={scope}
              onRemove={(document) => setScope(documents.filter((one) => one !== document))}
              onClear={() => setScope([])}
            />
          ) : null}
          <QuestionForm
            busy={isPending}
            onAsk={(question, giveBack) => ask(question, documents, giveBack)}
            onStop={stop}
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

function Nothing({ documents }: { documents: readonly string[] | undefined }) {
  return (
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
        'Each answer shows the passages it’s based on, with links to their place in the document. If no sentence answers, you see the nearest passages.',
      )}
    </EmptyState>
  )
}

function ExchangeView({ library, question, answer }: { library: string; question: string; answer: Answer }) {
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
