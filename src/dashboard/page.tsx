import { Layout } from '../page/layout.tsx'

/** The dashboard as it is served: the frame, and what is read until its script has taken over. */
export const DashboardPage = ({ script, style }: { readonly script: string; readonly style: string }) => (
  <Layout title="Dashboard" current="dashboard" script={script} style={style}>
    <div id="dashboard">
      <div class="bar" />
      <h1>Dashboard</h1>
      <noscript>The dashboard needs JavaScript: it reads everything over the API, with your token.</noscript>
    </div>
  </Layout>
)
