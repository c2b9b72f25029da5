import { createFileRoute } from '@tanstack/react-router'
import { collectionsQuery } from '../../features/collections/queries.ts'
import { mailAddressesQuery, mailDomainQuery } from '../../features/mail-in/queries.ts'
import { membersQuery } from '../../features/members/queries.ts'
import { MailInScreen } from '../../screens/library/mail-in-screen.tsx'

export const Route = createFileRoute('/_signed-in/l/$library/settings_/mail')({
  loader: async ({ context: { queryClient }, params: { library } }) => {
    void queryClient.prefetchQuery(mailDomainQuery(library))
    void queryClient.prefetchQuery(mailAddressesQuery(library))
    await Promise.all([
      queryClient.query({ ...membersQuery(library), staleTime: 'static' }),
      queryClient.query({ ...collectionsQuery(library), staleTime: 'static' }),
    ])
  },
  component: MailInScreen,
})
