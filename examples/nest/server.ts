import 'reflect-metadata';
import { Controller, Get, Module, Req, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Keyward } from 'keyward';
import { type Protected, protect } from 'keyward/nest';

const keyward = new Keyward({
  url: process.env.KEYWARD_URL ?? 'http://127.0.0.1:8080',
  accessKey: process.env.KEYWARD_ACCESS_KEY,
  onUnavailable: 'deny',
});

@Controller()
class HelloController {
  @Get('hello')
  @UseGuards(protect(keyward))
  hello(@Req() request: Protected<object>) {
    return { hello: request.keyward.record?.name };
  }

  @Get('documents')
  @UseGuards(protect(keyward, { permissions: 'documents.read' }))
  documents() {
    return { documents: [] };
  }
}

@Module({ controllers: [HelloController] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
const server = await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
console.log('listening', server.address());
