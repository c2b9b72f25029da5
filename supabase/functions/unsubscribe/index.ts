import { serviceClient } from '../_shared/clients.ts'
import { answerUnsubscribe } from './unsubscribe-mail.ts'

/** For mail programs, which have no account: a mail's token only turns that person's mails off. */
Deno.serve((request) =>
  answerUnsubscribe(request, {
    unsubscribe: async (token) => (await serviceClient().rpc('unsubscribe', { token }).throwOnError()).data,
    site: Deno.env.get('SITE_URL'),
  }),
)
