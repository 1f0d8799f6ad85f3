import { serve } from './process/serve.ts';

try {
  process.exit(await serve(process.env));
} catch (error) {
  const { reportFailure } = await import('./cli/failure.ts');
  reportFailure(error);
  process.exit(1);
}
