import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { counted, timeOfDay } from '../../lib/format.ts'
import { advisorsQuery } from '../advisors.ts'
import { mailsQuery } from '../mail/mails.ts'
import { requestsQuery } from '../requests/queries.ts'

/** Milliseconds between two looks. */
const REFRESH = 10_000

/** Recent failures, the advisors' findings and the newest email, with links to their screens. */
export function Attention() {
  const failed = useQuery({ ...requestsQuery({ failed: true }), refetchInterval: REFRESH })
  const advisors = useQuery({ ...advisorsQuery, staleTime: Number.POSITIVE_INFINITY })
  const mails = useQuery({ ...mailsQuery(''), refetchInterval: REFRESH })
  const [last] = failed.data ?? []
  const [mail] = mails.data?.messages ?? []
  const found = (level: string): number => advisors.data?.filter((one) => one.level === level).length ?? 0
  const [errors, warnings] = [found('ERROR'), found('WARN')]
  return (
    <section aria-label="Lately" className="grid gap-3 sm:grid-cols-3">
      <Card
        to="/requests"
        search={{ failed: true }}
        name="Failed requests"
        value={failed.data && (failed.data.length === 0 ? 'None' : counted(failed.data.length, 'request'))}
        detail={last && `${timeOfDay(last.time)} ${last.status} ${last.method} ${last.path}`}
        isWrong={last !== undefined}
      />
      <Card
        to="/advisors"
        name="Advisors"
        value={
          advisors.data &&
          (advisors.data.length === 0
            ? 'Nothing found'
            : [
                ...(errors > 0 ? [counted(errors, 'error')] : []),
                ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
                counted(advisors.data.length - errors - warnings, 'note'),
              ].join(', '))
        }
        detail={advisors.data?.find(({ level }) => level === (errors > 0 ? 'ERROR' : 'WARN'))?.title}
        isWrong={errors > 0}
      />
      <Card
        to="/mail"
        name="Newest email"
        value={mails.data && (mail ? mail.Subject || '(no subject)' : 'None')}
        detail={mail && `to ${mail.To.map((one) => one.Address).join(', ')}`}
      />
    </section>
  )
}

type CardProps = LinkProps & {
  name: string
  /** Undefined until it is known. */
  value: string | undefined
  detail: string | undefined
  isWrong?: boolean
}

function Card({ name, value, detail, isWrong = false, ...link }: CardProps) {
  return (
    <Link {...link} className="min-w-0 rounded-lg border bg-raised p-3 hover:border-accent">
      <p className="text-ink-faint text-xs">{name}</p>
      <p className={`mt-1 truncate font-medium ${isWrong ? 'text-danger' : ''}`}>{value ?? '–'}</p>
      <p className="mt-0.5 truncate text-ink-faint text-xs">{detail ?? '\u00a0'}</p>
    </Link>
  )
}
