import { translateBackendMessage } from '../../domain/backend-messages.ts'
import { msg } from '../../lib/i18n/i18n.ts'

/** Why there was no answer, as the database and the function `deliver-webhooks` say it. */
const PROBLEMS = [
  msg('No answer within {seconds} seconds.'),
  msg('There is no host called {host}.'),
  msg('{host} is not on the public internet. Whoever runs this service can allow it in WEBHOOK_ALLOWED_HOSTS.'),
  msg('The receiver cannot be reached: {reason}'),
  msg('The webhook was turned off before this could be delivered.'),
  msg(
    'This was not sent within a day: the function “deliver-webhooks” does not run. Whoever runs this service finds the reason in its log.',
  ),
]

/** Only where one of these happened was the message on its way to the receiver. */
const ON_THE_WAY = /^(?:No answer within|The receiver cannot be reached)/
/** Whether a message without an answer was sent at all. */
export const wasSent = (problem: string | null): boolean => problem === null || ON_THE_WAY.test(problem)

export const problemOf = (problem: string): string => translateBackendMessage(problem, PROBLEMS)
