import { createFileRoute } from '@tanstack/react-router'
import { CompanySignInScreen } from '../../screens/library/company-sign-in-screen.tsx'

/** The loader's queries are loaded with the screen, not with every page. */
export const Route = createFileRoute('/_signed-in/l/$library/settings_/sign-in')({
  loader: async ({ context: { queryClient }, params: { library } }) => {
    const { loadCompanySignIn } = await import('../../screens/library/load-company-sign-in.ts')
    await loadCompanySignIn(queryClient, library)
  },
  component: CompanySignInScreen,
})
