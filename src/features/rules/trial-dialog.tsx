import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAction } from '../../domain/failure-toast.ts'
import { problemText } from '../../domain/problem.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../lib/ui/toast.ts'
import { type Applied, applyRule, undoRule } from './mutations.ts'
import { ruleTrialQuery } from './queries.ts'
import type { Names, Rule } from './rule.ts'
import { actionSentence } from './sentences.ts'

type TrialDialogProps = { library: string; names: Names; rule: Rule; onClose: () => void }

/** Documents that a rule matches now, with a button to apply it. Mounted only while open. */
export function TrialDialog({ library, names, rule, onClose }: TrialDialogProps) {
  const { data: trial, error } = useQuery(ruleTrialQuery(library, rule.id))
  const undoing = useAction(undoRule)
  const applying = useAction(applyRule, {
    onSuccess: (applied) => {
      tellResult(applied, () => undoing.mutate({ library, actions: rule.actions, applied }))
      onClose()
    },
  })
  const actions = rule.actions.filter((action) => action.do !== 'tell')
  const rest = trial ? trial.total - trial.shown.length : 0
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Try “{name}”', { name: rule.name })}
      description={t('Existing documents that match its conditions. Nothing has been done to them.')}
    >
      <FailureNotice error={error} />
      {trial ? (
        <div className="grid gap-4">
          <p role="status" className="font-medium text-sm">
            {t('{count, plural, =0 {No document matches the conditions.} one {One document} other {# documents}}', {
              count: trial.total,
            })}
          </p>
          {trial.total > 0 ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <section aria-label={t('Documents')} tabIndex={0} className="max-h-[40dvh] overflow-y-auto">
              <ul className="divide-y divide-line rounded-lg border border-line text-sm">
                {trial.shown.map(({ id, title }) => (
                  <li key={id} className="px-3 py-2">
                    <Link
                      to="/l/$library/d/$document"
                      params={{ library, document: id }}
                      dir="auto"
                      className="block truncate rounded hover:text-accent-strong"
                    >
                      {title}
                    </Link>
                  </li>
                ))}
              </ul>
              {rest > 0 ? (
                <p className="px-3 pt-2 text-ink-faint text-xs">
                  {t('{count, plural, one {and one more} other {and # more}}', { count: rest })}
                </p>
              ) : null}
            </section>
          ) : null}
          {trial.total > 0 && actions.length > 0 ? (
            <>
              <p className="text-ink-soft text-sm">
                {actions.map((action) => actionSentence(action, names)).join(' · ')}
              </p>
              {actions.length < rule.actions.length ? (
                <p className="text-ink-faint text-sm">{t('No one is notified about existing documents.')}</p>
              ) : null}
              <div className="flex justify-end gap-2">
                <Button look="quiet" onClick={onClose}>
                  {t('Cancel')}
                </Button>
                <Button
                  look="primary"
                  busy={applying.isPending}
                  onClick={() => applying.mutate({ library, rule: rule.id, documents: trial.documents })}
                >
                  {t('{count, plural, one {Apply to one document} other {Apply to # documents}}', {
                    count: trial.total,
                  })}
                </Button>
              </div>
            </>
          ) : null}
        </div>
      ) : error ? null : (
        <Skeleton className="h-32" />
      )}
    </Dialog>
  )
}

function tellResult(applied: Applied, undo: () => void) {
  const changed = applied.filter(({ changes }) => changes.length > 0).length
  const failed = applied.find(({ problem }) => problem !== null)
  showToast({
    title: t('{count, plural, =0 {No documents differ} one {One document differs} other {# documents differ}}', {
      count: changed,
    }),
    ...(failed ? { description: problemText(failed.problem), failed: true } : {}),
    ...(changed > 0 ? { action: { label: t('Undo'), onClick: undo } } : {}),
  })
}
