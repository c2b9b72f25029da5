import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { formatDate, formatNumber } from '../../lib/i18n/format.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { deleteRule, switchRule } from './mutations.ts'
import { previewQuery, type Rule } from './queries.ts'
import { termsOf } from './terms.ts'

type RuleListProps = { library: string; rules: readonly Rule[]; isOwner: boolean; onEdit: (rule: Rule) => void }

/** Rules with their preview. Owners turn them on and off. */
export function RuleList({ library, rules, isOwner, onEdit }: RuleListProps) {
  const switching = useAction(switchRule)
  const [toDelete, setToDelete] = useState<Rule>()
  const deletion = useMutation({ ...deleteRule, onSuccess: () => setToDelete(undefined) })
  return (
    <>
      <ul aria-label={t('Rules')} className="grid gap-4">
        {rules.map((rule) => {
          const name = nameOf(rule)
          return (
            <li key={rule.id} className="grid gap-3 rounded-lg border border-line bg-surface px-4 py-3.5">
              <div className="flex flex-wrap items-center justify-between gap-2">
                <h2 dir="auto" className="min-w-0 truncate font-medium">
                  {name}
                  <span className="font-normal text-ink-faint text-xs"> · {rule.is_on ? t('on') : t('off')}</span>
                </h2>
                {isOwner ? (
                  <div className="flex flex-wrap gap-1.5">
                    <Button
                      size="small"
                      look={rule.is_on ? 'secondary' : 'primary'}
                      aria-label={rule.is_on ? t('Switch off: {name}', { name }) : t('Switch on: {name}', { name })}
                      busy={switching.isPending && switching.variables.rule === rule.id}
                      onClick={() => switching.mutate({ library, rule: rule.id, isOn: !rule.is_on })}
                    >
                      {rule.is_on ? t('Switch off') : t('Switch on')}
                    </Button>
                    <Button size="small" aria-label={t('Change: {name}', { name })} onClick={() => onEdit(rule)}>
                      {t('Change…')}
                    </Button>
                    <Button
                      size="small"
                      look="danger"
                      aria-label={t('Delete the rule: {name}', { name })}
                      onClick={() => setToDelete(rule)}
                    >
                      {t('Delete…')}
                    </Button>
                  </div>
                ) : null}
              </div>
              <ul className="list-disc ps-5 text-ink-soft text-sm">
                {termsOf(rule).map((term) => (
                  <li key={term}>{term}</li>
                ))}
              </ul>
              {isOwner && rule.trash_after !== null ? <Preview library={library} rule={rule} /> : null}
            </li>
          )
        })}
      </ul>
      {toDelete ? (
        <ConfirmDialog
          title={t('Delete the rule of “{name}”?', { name: nameOf(toDelete) })}
          action={t('Delete the rule')}
          busy={deletion.isPending}
          error={deletion.error}
          onConfirm={() => deletion.mutate({ library, rule: toDelete.id })}
          onClose={() => setToDelete(undefined)}
        >
          {t(
            'Documents it protects can be deleted immediately, and documents in the trash follow the rule that applies then.',
          )}
        </ConfirmDialog>
      ) : null}
    </>
  )
}

const nameOf = ({ collection }: Rule): string => collection?.name ?? t('The whole library')

function Preview({ library, rule }: { library: string; rule: Rule }) {
  const { data: due, error } = useQuery(previewQuery(library, rule.id))
  const now = Date.now()
  const total = due?.[0]?.total ?? 0
  return (
    <div className="grid gap-2 border-line border-t pt-3">
      <FailureNotice error={error} />
      <p className="text-sm">
        {total === 0
          ? t('It moves nothing now or in the next 30 days.')
          : rule.is_on
            ? t('Documents it moves now or in the next 30 days: {count}', { count: total })
            : t('Documents it would move now or in the next 30 days: {count}', { count: total })}
      </p>
      {total > 0 ? (
        <ul className="max-h-48 overflow-y-auto text-sm">
          {due?.map(({ document_id: document, title, due_at }) => (
            <li key={document} className="flex items-baseline gap-3 py-0.5">
              <Link
                dir="auto"
                to="/l/$library/d/$document"
                params={{ library, document }}
                className="min-w-0 flex-1 truncate rounded hover:text-accent-strong hover:underline"
              >
                {title}
              </Link>
              <span className="shrink-0 text-ink-faint text-xs">
                {Date.parse(due_at) <= now ? t('now') : formatDate(due_at)}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {due && total > due.length ? (
        <p className="text-ink-faint text-xs">
          {t('The first {shown} are listed.', { shown: formatNumber(due.length) })}
        </p>
      ) : null}
    </div>
  )
}
