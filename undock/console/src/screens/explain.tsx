import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ShieldQuestion } from 'lucide-react'
import { useState } from 'react'
import { PageLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { AnswerView } from '../features/policies/answer-view.tsx'
import { explainQuery, isComplete } from '../features/policies/queries.ts'
import { QuestionForm } from '../features/policies/question-form.tsx'

const route = getRouteApi('/policies/explain')

/** Explains access: who can do what with which rows, and why. */
export function Explain() {
  const question = route.useSearch()
  const navigate = route.useNavigate()
  // Any page can link here, so a condition from the address runs only after the user asks.
  const [where, setWhere] = useState<string>()
  const isAsked = isComplete(question) && question.where === where
  const { data, error, isFetching, refetch } = useQuery({ ...explainQuery(question), enabled: isAsked })
  return (
    <Page
      title="Access explained"
      subtitle={question.request ? `request ${question.request}` : 'What the database decides now; nothing is kept'}
      actions={<PageLink to="/policies">All policies</PageLink>}
    >
      <div className="mx-auto grid max-w-6xl gap-6 p-4 lg:grid-cols-[18rem_minmax(0,1fr)]">
        <QuestionForm
          key={JSON.stringify(question)}
          question={question}
          isPending={isFetching}
          onAsk={(asked) => {
            setWhere(asked.where)
            if (JSON.stringify(explainQuery(asked).queryKey) === JSON.stringify(explainQuery(question).queryKey))
              void refetch()
            else void navigate({ search: asked })
          }}
        />
        {!isAsked ? (
          <Empty icon={ShieldQuestion} title="Who would do what?">
            Name a caller, an action and its target. The answer tells which grants and policies decide, for which rows
            they are true, and what would change that.
          </Empty>
        ) : data && !error ? (
          <AnswerView answer={data} />
        ) : (
          <Pending error={error} onRetry={refetch} />
        )}
      </div>
    </Page>
  )
}
