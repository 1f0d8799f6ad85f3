import { Redirect, Route, Router, Switch, useLocation, useSearch } from 'wouter-preact';
import { session } from './api/session.ts';
import { mayLeave } from './components/unsaved_input.ts';
import { Shell } from './layout/shell.tsx';
import { SignInPage } from './pages/sign_in/page.tsx';
import { WelcomePage } from './pages/sign_in/welcome.tsx';
import { returnTo } from './return_to.ts';

/** All of the console: below `/console`, which is a part of no path in here. */
export const App = () => (
  <Router
    base="/console"
    aroundNav={async (navigate, to, options) => {
      if (await mayLeave()) navigate(to, options);
    }}
  >
    <Switch>
      <Route path="/welcome" component={WelcomePage} />
      <Route path="/sign-in" component={SignInPage} />
      <Route>{session.value ? <Shell /> : <ToSignIn />}</Route>
    </Switch>
  </Router>
);

function ToSignIn() {
  const [path] = useLocation();
  const search = useSearch();
  return <Redirect to={`/sign-in?next=${encodeURIComponent(returnTo(path, search))}`} replace />;
}
