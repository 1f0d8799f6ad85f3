import { test, expect, beforeAll, afterAll } from '@jest/globals';
import Fastify from 'fastify';
import { launch, open } from './chromium.ts';
import { addGraphiql } from '../../src/http/pages/graphiql.ts';
import { addDocs } from '../../src/http/pages/docs.ts';
import { schema, sdl } from '../../src/graphql/schema.ts';

test('x', async () => {
  const server = Fastify();
  addGraphiql(server, { schema, sdl });
  addDocs(server, {openapi:'3.1.0', info:{title:'t',version:'1'}, components:{securitySchemes:{bearer:{type:'http',scheme:'bearer'}}}, security:[{bearer:[]}], paths:{'/docs':{get:{responses:{200:{description:'ok'}}}}}});
  server.post('/graphql', async (r: any) => ({data: {auth: r.headers.authorization, op: r.body.operationName}}));
  await server.listen({port: 0});
  const url = `http://127.0.0.1:${(server.server.address() as any).port}`;
  const b = await launch();
  let w = await open(b, url + '/graphiql');
  await w.page.waitForSelector('.graphiql-container');
  await new Promise(r => setTimeout(r, 2500));
  await w.page.locator('.graphiql-execute-button').click(); await w.page.getByText('deals', {exact:true}).last().click(); await new Promise(r => setTimeout(r, 1000)); await w.page.locator('.graphiql-sidebar button').first().click(); await new Promise(r => setTimeout(r, 1000));  await w.page.locator('.graphiql-sidebar button').last().click();await new Promise(r => setTimeout(r, 1000));
  await w.page.screenshot({path: '/tmp/g.png'});
  console.log(w.complaints);
  w = await open(b, url + '/docs');
  await new Promise(r => setTimeout(r, 2500));
  await w.page.screenshot({path: '/tmp/d.png'});
  console.log(w.complaints);
  await b.close();
  await server.close();
}, 60000);
