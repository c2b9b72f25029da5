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

export const problemOf = (problem: string): string => translateBackendMessage(problem, PROBLEMS)
